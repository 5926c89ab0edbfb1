import { FerryError } from "../../src/base/errors.ts";
import type { Output, Terminal } from "../../src/host/host.ts";

/** A terminal, or the pipes in its place, that keeps what was written. */
export interface FakeTerminal extends Terminal {
  readonly written: { stdout: string; stderr: string; bytes: Uint8Array[] };
}

export interface FakeTerminalOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly stdin?: string | Uint8Array;
  /** Whether it shows more than ASCII, as most do. */
  readonly unicode?: boolean;
  /** Whether stdout is closed. */
  readonly closed?: boolean;
}

/** How wide stderr is where a test names no width: what is said there then stays in one line. */
const roomy = 1000;

export function makeFakeTerminal({
  tty = false,
  columns,
  stdin,
  unicode = true,
  closed = false,
}: FakeTerminalOptions): FakeTerminal {
  const written: FakeTerminal["written"] = { stdout: "", stderr: "", bytes: [] };
  const output = (name: "stdout" | "stderr"): Output => ({
    isTTY: tty,
    columns: columns ?? (name === "stdout" ? 80 : roomy),
    color: false,
    async write(text) {
      if (name === "stdout") written.bytes.push(Buffer.from(text));
      written[name] += typeof text === "string" ? text : new TextDecoder().decode(text);
    },
  });
  return {
    written,
    stdin: {
      isTTY: tty && stdin === undefined,
      async read(limit = Infinity) {
        if (stdin === undefined) throw new Error("unexpected: a read of stdin");
        const bytes = Buffer.from(stdin);
        if (bytes.length > limit) throw new FerryError("usage", `standard input is longer than ${limit} bytes`);
        return bytes;
      },
    },
    stdout: output("stdout"),
    stderr: output("stderr"),
    discards: () => closed,
    unicode,
    wasAway: async () => false,
    isInFront: () => true,
    spin: () => ({ update: () => undefined, stop: () => undefined }),
  };
}
