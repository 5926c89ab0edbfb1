import { ReaderGoneError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";

/**
 * Does the work with a host whose stdout is read in a pager, and waits until that is quit: $PAGER, else less. Where stdout is no
 * terminal, or the pager is none or `cat`, it is the host as it is.
 */
export async function inPager<T>(host: Host, work: (host: Host) => Promise<T>): Promise<T> {
  const pager = await choosePager(host);
  if (pager === undefined) return work(host);
  const texts = makeQueue();
  let reading: Promise<number> | undefined;
  const stdout = {
    ...host.terminal.stdout,
    async write(text: string | Uint8Array): Promise<void> {
      // Started by the first text: what has nothing to show, or fails, never opens one.
      reading ??= host.processes
        .attach(shell(host, pager), { env: pagerEnvironment(host), input: texts.all() })
        .finally(() => texts.end());
      // Told when all is written, below; until then nobody looks.
      reading.catch(() => undefined);
      // A pager that was quit is a reader that is gone, as with a pipe.
      if (!texts.push(text)) throw new ReaderGoneError("the pager was quit");
    },
  };
  try {
    return await work({ ...host, terminal: { ...host.terminal, stdout } });
  } finally {
    texts.end();
    await reading;
  }
}

async function choosePager({ env, terminal, processes, platform }: Host): Promise<string | undefined> {
  if (!terminal.stdout.isTTY || env["TERM"] === "dumb") return undefined;
  const wanted = env["PAGER"]?.trim();
  if (wanted !== undefined) return wanted === "" || wanted === "cat" ? undefined : wanted;
  return platform !== "win32" && (await processes.find("less")) !== undefined ? "less" : undefined;
}

/** $PAGER is a command line, as for git and man. */
function shell({ platform }: Host, pager: string): string[] {
  return platform === "win32" ? ["cmd", "/d", "/s", "/c", pager] : ["/bin/sh", "-c", pager];
}

/** less(1): F, what fits on one screen needs no pager; R, colours are shown; X, the text stays on the screen afterwards. */
function pagerEnvironment({ env }: Host): Host["env"] {
  return { ...env, LESS: env["LESS"] ?? "FRX", LV: env["LV"] ?? "-c" };
}

interface Queue {
  /** Whether anybody still reads. */
  push(text: string | Uint8Array): boolean;
  end(): void;
  all(): AsyncGenerator<string | Uint8Array>;
}

function makeQueue(): Queue {
  let waiting: (string | Uint8Array)[] = [];
  let ended = false;
  let wake = (): void => undefined;
  return {
    push(text) {
      if (ended) return false;
      waiting.push(text);
      wake();
      return true;
    },
    end() {
      ended = true;
      wake();
    },
    async *all() {
      for (;;) {
        const texts = waiting;
        waiting = [];
        yield* texts;
        if (waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
