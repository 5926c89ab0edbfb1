import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

/** Which of a ferry's gits something dies with, counted from 1, and when: as it begins, or when it has done its work. */
export interface Death {
  readonly of: "ferry" | "git" | "both";
  readonly at: number;
  readonly when: "start" | "end";
}

/**
 * PATH with a git that kills itself, or who started it, at one of its runs. Those of the sandbox's side don't count. After a death all
 * others are git as it is.
 */
export function killingGit(folder: string, { of, at, when }: Death): string {
  const kill = { ferry: "kill -9 $PPID", git: "kill -9 $$", both: "kill -9 $PPID $$" }[of];
  // In the background a shell gives no input unless it is told to.
  const start = `exec 3<&0; ${real} "$@" <&3 & git=$!; ${of === "ferry" ? kill : `kill -9 $git; ${kill}`}; wait $git`;
  const end = `${real} "$@"; code=$?; ${kill}; exit $code`;
  const lines = [
    `case "$PWD" in */sandbox*) exec ${real} "$@";; esac`,
    `read -r count < ${folder}/count`,
    `echo $((count + 1)) > ${folder}/count`,
    `if test "$count" -ne ${at - 1}; then exec ${real} "$@"; fi`,
    when === "start" ? start : end,
  ];
  const path = wrapped(folder, lines);
  writeFileSync(`${folder}/count`, "0\n");
  return path;
}

/** PATH with a git that dies as soon as it is asked this: words of its command line. */
export function gitKilledAt(folder: string, question: string): string {
  return wrapped(folder, [`case "$*" in *'${question}'*) kill -9 $$;; esac`, `exec ${real} "$@"`]);
}

const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim();

function wrapped(folder: string, lines: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/git`, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(`${folder}/git`, 0o755);
  return `${folder}:${process.env["PATH"] ?? ""}`;
}
