import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Checkpoint } from "../../src/patch/request.ts";
import { gitEnv } from "./git.ts";
import type { PullChild } from "./pull-child.ts";
import type { Scene } from "./scene.ts";

/** Bundles the child's program, since Node 20 reads no TypeScript; gives its path. */
export async function buildPullChild(folder: string): Promise<string> {
  const outfile = `${folder}/pull-child.mjs`;
  const entry = fileURLToPath(new URL("pull-child.ts", import.meta.url));
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner,
    external: ["execa"],
  });
  return outfile;
}

/** Starts the pull of a scene that ends itself at a marked point, or is ended by the test. */
export function startPull(
  program: string,
  { local, sandbox, base, ...more }: Pick<Scene, "local" | "sandbox" | "base"> & Pick<PullChild, "fromBranch">,
  dieAt: Checkpoint | "",
  {
    options,
    how,
    engine,
    worktree,
    ...user
  }: { uid?: number; gid?: number } & Pick<PullChild, "options" | "how" | "engine" | "worktree"> = {},
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
  return spawn(process.execPath, [program, file], { env: gitEnv, stdio: ["ignore", "ignore", "pipe"], ...user });
}

export async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { code: child.exitCode, signal: child.signalCode };
}
