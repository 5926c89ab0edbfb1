import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { PatchHost } from "../../src/patch/request.ts";
import type { TestGit } from "./git.ts";
import { patchHost } from "./pulling.ts";

/** A git that stops in the middle of writing a file. */
export interface Slow {
  /** Resolves when it has come there. */
  readonly reached: () => Promise<void>;
  /** Lets the one that stands there go on, and all after it pass. */
  readonly release: () => void;
  /** Lets all after it pass. */
  readonly pass: () => void;
}

/** Gives a file of the repository a filter in which git stops when it is to write content with `word` in it. */
export function slowAt(local: TestGit, { path, word }: { path: string; word: string }): Slow {
  const fifo = (name: string) => `${local.folder}/../${name}`;
  execFileSync("mkfifo", [fifo("reached"), fifo("go")]);
  mkdirSync(`${local.folder}/.git/info`, { recursive: true });
  appendFileSync(`${local.folder}/.git/info/attributes`, `${path} filter=slow\n`);
  local("config", "filter.slow.clean", "cat");
  const stop = `if test ! -e ${fifo("done")}; then echo > ${fifo("reached")}; read -r y < ${fifo("go")}; fi`;
  local("config", "filter.slow.smudge", `x=$(cat; echo .); case "$x" in *'${word}'*) ${stop};; esac; printf %s "\${x%.}"`);
  const sh = (line: string) => void execFileSync("sh", ["-c", line]);
  return {
    reached: async () => {
      const [code] = (await once(spawn("cat", [fifo("reached")]), "exit")) as [number];
      expect(code).toBe(0);
    },
    release: () => sh(`echo > ${fifo("done")}; echo > ${fifo("go")}`),
    pass: () => sh(`echo > ${fifo("done")}`),
  };
}

/** A machine of which something becomes of a process once it was asked twice whether that one still runs: whoever asks waits for it. */
export function whenWaitedFor(pid: number, then: () => void): { readonly host: PatchHost; readonly times: () => number } {
  const host = patchHost();
  let times = 0;
  const startTime: typeof host.processes.startTime = (asked) => {
    if (asked === pid && (times += 1) === 2) then();
    return host.processes.startTime(asked);
  };
  return { host: { ...host, processes: { ...host.processes, startTime } }, times: () => times };
}

/** The git that writes a working copy at this moment, as ferry has noted it down. */
export function writingGit(local: TestGit): number {
  const journal = readFileSync(`${local.folder}/.git/ferry/journal`, "utf8").trim().split("\n");
  return (JSON.parse(journal.at(-1) ?? "") as { child: { pid: number } }).child.pid;
}

/** The same for git's own commands of the opt-in flags. */
export function porcelainGit(local: TestGit): number {
  return (JSON.parse(readFileSync(`${local.folder}/.git/ferry/porcelain`, "utf8")) as { pid: number }).pid;
}
