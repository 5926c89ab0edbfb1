import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import { gitError } from "../../git/runner.ts";
import type { Context } from "../context.ts";
import { walk } from "../land/disk.ts";
import { ferryFolder } from "../quarantine.ts";
import { linkedTo } from "../worktree/link.ts";
import { sortOut } from "./sort-out.ts";
import { changesBetween } from "./settle.ts";

/** A worktree that a git was started to make, where nothing or an empty folder was. */
export interface MadeWorktree {
  readonly path: string;
  /** What is checked out in it. */
  readonly commit: string;
}

/**
 * Takes a worktree away that a git was making when it was killed: what git has come to write of it, and nothing else.
 * @throws FerryError attention where something of a user's is in it by now
 */
export async function removeHalfMade(made: MadeWorktree, context: Context): Promise<void> {
  const { git, repository } = context;
  const gitDir = await findHalfMade(made.path, repository.commonDir);
  if (gitDir === undefined) return;
  // Made for the repository that this one is a copy of, or before it was moved.
  if (((await linkedTo(made.path)) ?? gitDir) !== gitDir) return;
  if (!(await holdsOnlyOurs(made, gitDir, context))) throw halfMadeError(made.path);
  // Twice: it is locked till it is whole.
  const args = ["worktree", "remove", "--force", "--force", made.path];
  const result = await git.run(args, { cwd: repository.gitDir, gitDir: repository.gitDir });
  if (result.code !== 0) throw gitError(args, result);
}

export function halfMadeError(path: string): FerryError {
  return new FerryError("attention", `${oneLine(path)} is half made: git was interrupted there`, {
    hint: `git worktree remove --force --force ${shellWord(path)}, then pull again`,
  });
}

/** Whether git hasn't ended making the worktree with this git folder: till then git-worktree keeps it locked. */
export async function isHalfMade(gitDir: string): Promise<boolean> {
  return (await readFile(join(gitDir, "locked"), "utf8").catch(() => "")).startsWith("initializing");
}

async function findHalfMade(path: string, commonDir: string): Promise<string | undefined> {
  const folder = join(commonDir, "worktrees");
  for (const name of await readdir(folder).catch(() => [])) {
    const gitDir = join(folder, name);
    const link = await readFile(join(gitDir, "gitdir"), "utf8").catch(() => "");
    if (link !== "" && resolve(gitDir, link.trim()) === join(path, ".git") && (await isHalfMade(gitDir))) return gitDir;
  }
  return undefined;
}

async function holdsOnlyOurs({ path, commit }: MadeWorktree, gitDir: string, context: Context): Promise<boolean> {
  const { git, host, repository } = context;
  const scratch = join(ferryFolder(repository), "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  const ended = () => Promise.resolve();
  const copy = { git, host, scratch, patience: 0, repository: { ...repository, gitDir, workTree: path } };
  const changes = await changesBetween(copy, undefined, commit);
  const known = new Set(changes.map((change) => change.path));
  for (const name of await readdir(path, { encoding: "latin1" }).catch(() => [])) {
    if (name === ".git") continue;
    if (known.has(name)) continue;
    const found = await isAllOf(path, name, known);
    if (!found) return false;
  }
  const { foreign } = await sortOut({ ...copy, children: { starting: ended, ended } }, changes);
  await rm(scratch, { recursive: true, force: true });
  return foreign.length === 0;
}

async function isAllOf(workTree: string, folder: string, known: ReadonlySet<string>): Promise<boolean> {
  try {
    for await (const path of walk(workTree, folder)) if (!known.has(path)) return false;
    return true;
  } catch {
    // No folder, and none of git's files.
    return false;
  }
}
