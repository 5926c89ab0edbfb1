import { spawn, type ChildProcess } from "node:child_process";
import type { Binary } from "./binary.ts";

/** The program on a terminal of its own, by script(1) of util-linux. */
export interface OnTerminal {
  /** All that the screen was sent so far. */
  screen(): string;
  /** Resolves with the match once the screen has it. */
  see(pattern: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

export function startOnTerminal(
  { env, folder }: Binary,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): OnTerminal {
  // Wide enough that no address is wrapped by what draws the prompt.
  const command = `stty cols 1000; exec ${argv.map(quoted).join(" ")}`;
  const child: ChildProcess = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    cwd: folder,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh", ...more },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  const watchers = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    for (const watcher of watchers) watcher();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    screen: () => text,
    ended,
    type: (typed) => void child.stdin?.write(typed),
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match === null) return;
          watchers.delete(look);
          resolve(match);
        };
        watchers.add(look);
        look();
        void ended.then((code) => {
          if (watchers.has(look)) reject(new Error(`ended with ${String(code)} before ${String(pattern)} was seen:\n${text}`));
        });
      }),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
