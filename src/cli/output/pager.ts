import { FerryError, ReaderGoneError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Host, Output } from "../../host/host.ts";
import { makeQueue, type Queue } from "./pager/queue.ts";

/**
 * Does the work with a host whose stdout is read in a pager, and waits until that is quit: $PAGER, else less. Where stdout is no
 * terminal, the pager is none or `cat`, or the shell knows no such program, it is the host as it is.
 * @throws FerryError failure where the pager fails: it may have shown nothing
 */
export async function inPager<T>(host: Host, work: (host: Host) => Promise<T>): Promise<T> {
  const pager = await choosePager(host);
  if (pager === undefined) return work(host);
  const { stdout, close } = pagedOutput(host, pager);
  let isDone = false;
  try {
    const result = await work({ ...host, terminal: { ...host.terminal, stdout } });
    isDone = true;
    return result;
  } finally {
    const failure = await close();
    // What the work itself has to say of it comes first.
    if (isDone && failure !== undefined) throw failure;
  }
}

async function choosePager({ env, terminal, processes, platform }: Host): Promise<string | undefined> {
  if (!terminal.stdout.isTTY || env["TERM"] === "dumb") return undefined;
  const wanted = env["PAGER"]?.trim();
  if (wanted !== undefined) return wanted === "" || wanted === "cat" ? undefined : wanted;
  return platform !== "win32" && (await processes.find("less")) !== undefined ? "less" : undefined;
}

/** What was written first is kept, up to so many characters or bytes, in case that there is no such pager. */
const kept = 4 * 1024 * 1024;
/** The shell's exit codes for a program that it can't run, and for one that it doesn't find (POSIX, 2.8.2). */
const notRun: ReadonlySet<number> = new Set([126, 127]);

/** What is more is a signal's: of the terminal, of who quit, of a pipe within. */
const highestFailure = 125;

interface Paged {
  readonly stdout: Output;
  /** Waits until the pager is quit; gives its failure. */
  readonly close: () => Promise<FerryError | undefined>;
}

function pagedOutput(host: Host, pager: string): Paged {
  const { stdout } = host.terminal;
  const texts = makeQueue(host.interrupt);
  const first: (string | Uint8Array)[] = [];
  let size = 0;
  let reading: Promise<number> | undefined;
  let isPlain = false;

  /** Whether it is the terminal itself that is written to from now on. */
  const goesPlain = async (): Promise<boolean> => {
    const code = await reading;
    if (isPlain || code === undefined || !notRun.has(code) || size > kept) return isPlain;
    isPlain = true;
    for (const text of first.splice(0)) await stdout.write(text);
    return true;
  };
  const failure = async (): Promise<FerryError | undefined> => {
    const code = (await reading) ?? 0;
    if (code === 0 || code > highestFailure || host.interrupt.aborted) return undefined;
    return new FerryError("failure", `the pager failed: ${oneLine(pager)} (exit ${code})`, { hint: "without one: PAGER=cat" });
  };
  return {
    stdout: {
      ...stdout,
      async write(text) {
        if (isPlain) return stdout.write(text);
        // Started by the first text: what has nothing to show, or fails, never opens one.
        reading ??= read(host, pager, texts);
        size += text.length;
        if (size <= kept) first.push(text);
        else first.length = 0;
        // A pager that was quit is a reader that is gone, as with a pipe.
        if (!(await texts.push(text)) && !(await goesPlain()))
          throw (await failure()) ?? new ReaderGoneError("the pager was quit");
      },
    },
    close: async () => {
      texts.end();
      await goesPlain();
      return failure();
    },
  };
}

/** Gives the pager's exit code. */
function read(host: Host, pager: string, texts: Queue): Promise<number> {
  const reading = host.processes
    .attach(shell(host, pager), { env: pagerEnvironment(host), input: texts.all() })
    .finally(() => texts.end());
  // Told when all is written; until then nobody looks.
  reading.catch(() => undefined);
  return reading;
}

/** $PAGER is a command line, as for git and man. */
function shell({ platform }: Host, pager: string): string[] {
  return platform === "win32" ? ["cmd", "/d", "/s", "/c", pager] : ["/bin/sh", "-c", pager];
}

/** less(1): F, what fits on one screen needs no pager; R, colours are shown; X, the text stays on the screen afterwards. */
function pagerEnvironment({ env }: Host): Host["env"] {
  return { ...env, LESS: env["LESS"] ?? "FRX", LV: env["LV"] ?? "-c" };
}
