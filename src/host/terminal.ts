import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { FerryError, OutputError, ReaderGoneError } from "../base/errors.ts";
import { type Direct, isNull, openDirect } from "./direct.ts";
import type { Environment, Input, Output, Terminal } from "./host.ts";
import { spin } from "./spinner.ts";

/** The terminal that this process was started on, or the pipes in its place. */
export function makeTerminal(env: Environment, platform: NodeJS.Platform, interrupt: AbortSignal): Terminal {
  // Each line that waits to be written listens to it.
  setMaxListeners(0, interrupt);
  // Node makes a stream of each when it is first asked for, which takes longer than most of what help does.
  let [stdout, stderr]: [Output?, Output?] = [];
  const open = (fd: 1 | 2, stream: () => Output): Output => {
    const direct = openDirect(fd);
    return direct === undefined ? stream() : makeDirectOutput(direct, env, stream);
  };
  return {
    stdin: makeInput(interrupt),
    get stdout() {
      return (stdout ??= open(1, () => makeOutput(process.stdout, env, interrupt)));
    },
    get stderr() {
      return (stderr ??= open(2, () => makeOutput(process.stderr, env, interrupt, true)));
    },
    discards: () => isNull(1),
    unicode: showsUnicode(env, platform),
    wasAway: makeWatch(),
    isInFront: looksInFront,
    spin: (text) => spin(text, showsUnicode(env, platform)),
  };
}

/** On Windows nobody stops a program so, and no such signal comes. */
function makeWatch(): Terminal["wasAway"] {
  let [watches, wasAway] = [false, false];
  return async () => {
    if (!watches) process.on("SIGCONT", () => void (wasAway = true));
    watches = true;
    // Node tells of a signal behind all else that came meanwhile, and that is what somebody is about to draw: a whole turn of its loop later.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    const was = wasAway;
    wasAway = false;
    return was;
  };
}

/** Only Linux says so. */
function looksInFront(): boolean {
  try {
    return isInFront(readFileSync("/proc/self/stat", "latin1"));
  } catch {
    return true;
  }
}

/** proc_pid_stat(5): behind the name, which may hold anything, come state, ppid, pgrp, session, tty_nr and tpgid. */
export function isInFront(stat: string): boolean {
  const [, , own, , , front] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Without a terminal of its own, or where who is in front isn't to be seen from within a container, nothing is known.
  return !(Number(front) > 0) || front === own;
}

function makeInput(interrupt: AbortSignal): Input {
  return {
    get isTTY() {
      return process.stdin.isTTY;
    },
    async read(limit = 64 * 1024 * 1024) {
      const chunks: Buffer[] = [];
      let size = 0;
      // Whoever writes there may never come to an end.
      const leave = (): void => void process.stdin.destroy(interrupt.reason as Error);
      interrupt.addEventListener("abort", leave, { once: true });
      try {
        for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
          size += chunk.length;
          if (size > limit) throw new FerryError("usage", `standard input is longer than ${limit} bytes`);
          chunks.push(chunk);
        }
      } finally {
        interrupt.removeEventListener("abort", leave);
      }
      interrupt.throwIfAborted();
      return Buffer.concat(chunks, size);
    },
  };
}

/** An output that is no terminal. What isn't taken at once goes to the `stream`, and all that follows. */
export function makeDirectOutput(direct: Direct, env: Environment, stream: () => Output): Output {
  let rest: Output | undefined;
  return {
    isTTY: false,
    columns: columnsOf({ isTTY: false, columns: 0 }),
    rows: undefined,
    color: wantsColor(env, false),
    async write(text) {
      if (text.length === 0) return;
      if (rest !== undefined) return rest.write(text);
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      const taken = writeTo(direct, bytes);
      if (taken < bytes.length) await (rest = stream()).write(bytes.subarray(taken));
    },
  };
}

function writeTo(direct: Direct, bytes: Uint8Array): number {
  try {
    return direct(bytes);
  } catch (error) {
    throw writeFailure(error as NodeJS.ErrnoException);
  }
}

/** How long a reader that takes nothing may hold up what was interrupted, and each of its last lines, in ms. */
const lastPatience = 200;

/**
 * What is written goes to the stream. `interrupt` ends the waiting for a reader that takes nothing: the write fails with its reason.
 * Where Ctrl-C was pressed the terminal has put `^C` on the line: what `tells` of it goes below, or it would be broken too late.
 */
export function makeOutput(stream: NodeJS.WriteStream, env: Environment, interrupt: AbortSignal, tells = false): Output {
  let isBelow = !tells;
  const put = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const leave = (): void => void (timer = setTimeout(() => reject(interrupt.reason as Error), lastPatience));
      if (interrupt.aborted) leave();
      else interrupt.addEventListener("abort", leave, { once: true });
      stream.write(text, (error) => {
        interrupt.removeEventListener("abort", leave);
        clearTimeout(timer);
        if (error) reject(writeFailure(error));
        else resolve();
      });
    });
  // Each failed write is told to whoever wrote; without a listener the stream would throw it at the process once more.
  stream.on("error", () => undefined);
  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return columnsOf(stream);
    },
    get rows() {
      return stream.isTTY && stream.rows > 0 ? stream.rows : undefined;
    },
    get color() {
      return wantsColor(env, stream.isTTY);
    },
    async write(text) {
      // A full disk refuses even that, and who has nothing to say has lost nothing.
      if (text.length === 0) return;
      if (!isBelow && interrupt.aborted && stream.isTTY) {
        isBelow = true;
        await put("\n");
      }
      return put(text);
    },
  };
}

function writeFailure(error: NodeJS.ErrnoException): Error {
  if (error.code === "EPIPE") return new ReaderGoneError("nobody reads the output any more", { cause: error });
  return new OutputError(error);
}

/** Serial lines, and terminals that another program made, may say 0: they don't know. */
export function columnsOf({ isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns">): number {
  return isTTY && columns > 0 ? columns : 80;
}

/** setlocale(3): the first of the three that is set decides. Where none is, only macOS and Windows terminals can be trusted. */
function showsUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  if (env["TERM"] === "linux" || env["TERM"] === "dumb") return false;
  if (platform === "win32") return true;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return locale === undefined || locale === "" ? platform === "darwin" : /utf-?8/iu.test(locale);
}

/**
 * Whether colour is wanted on a stream: https://no-color.org, then the two ways to force it, then CLICOLOR
 * (https://bixense.com/clicolors), then what the terminal is.
 */
export function wantsColor(env: Environment, isTTY: boolean): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (isSet(env["CLICOLOR_FORCE"]) && env["CLICOLOR_FORCE"] !== "0") return true;
  if (env["CLICOLOR"] === "0" || env["TERM"] === "dumb") return false;
  return isTTY;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
