import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * The git folder that a linked worktree's `.git` file names (gitrepository-layout(5)), where it is one: after a move or a copy of the
 * repository that may be another than the one that names the worktree. Undefined without such a file.
 */
export async function linkedTo(workTree: string): Promise<string | undefined> {
  const text = await readFile(join(workTree, ".git"), "utf8").catch(missing);
  const [, named] = /^gitdir: (.*?)\r?\n?$/u.exec(text ?? "") ?? [];
  if (named === undefined) return undefined;
  const gitDir = resolve(workTree, named);
  return (await realpath(gitDir).catch(missing)) ?? gitDir;
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EISDIR"].includes(error.code ?? "")) throw error;
  return undefined;
}
