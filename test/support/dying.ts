import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { inject } from "vitest";
import type { Checkpoint } from "../../src/patch/request.ts";
import { gitEnv } from "./git.ts";
import type { PullChild } from "./pull-child.ts";
import type { Scene } from "./scene.ts";

/** Starts the pull of a scene that ends itself at a marked point, or is ended by the test. */
export function startPull(
  { local, sandbox, base, ...more }: Pick<Scene, "local" | "sandbox" | "base"> & Pick<PullChild, "fromBranch">,
  dieAt: Checkpoint | "",
  {
    options,
    how,
    engine,
    worktree,
    program = inject("pullChild"),
    path,
    ...user
  }: { uid?: number; gid?: number; program?: string; path?: string } & Pick<
    PullChild,
    "options" | "how" | "engine" | "worktree"
  > = {},
): ChildProcess {
  const task: PullChild = {
    folder: local.folder,
    sandbox: sandbox.folder,
    base,
    dieAt,
    fromBranch: more.fromBranch ?? false,
    ...(options === undefined ? {} : { options }),
    ...(how === undefined ? {} : { how }),
    ...(engine === undefined ? {} : { engine }),
    ...(worktree === undefined ? {} : { worktree }),
  };
  const file = `${local.folder}/../task.json`;
  writeFileSync(file, JSON.stringify(task));
  const env = path === undefined ? gitEnv : { ...gitEnv, PATH: path };
  return spawn(process.execPath, [program, file], { env, stdio: ["ignore", "ignore", "pipe"], ...user });
}

export async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { code: child.exitCode, signal: child.signalCode };
}
