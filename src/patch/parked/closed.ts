import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockedError, lockPatience, lockPause } from "../../git/locked.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import type { Context } from "../context.ts";
import { copyIndex } from "../land/index-entries.ts";
import { inTree, missing, type ParkedTree } from "./tree.ts";

/** What a lock of ours says, for whoever finds it after we were killed. */
const ours = "ferry pull: a parked worktree\n";

/**
 * Holds the locks that git takes to stage and to commit (gitrepository-layout(5), index and HEAD), so that nobody does meanwhile. Our own
 * that a killed run left counts as held. Gives those that another git doesn't let go of: what it does then is its own.
 */
export async function close({ gitDir }: ParkedTree, context: Context, names = ["index", "HEAD"]): Promise<string[]> {
  const { host, request } = context;
  const deadline = host.clock.elapsed() + (request.hook === undefined ? lockPatience : 0);
  const foreign: string[] = [];
  for (const name of names) {
    const lock = lockOf(gitDir, name);
    while (!(await take(lock))) {
      if (host.clock.elapsed() >= deadline) {
        foreign.push(lock);
        break;
      }
      await host.clock.sleep(lockPause);
    }
  }
  return foreign;
}

/** Lets go of our own. */
export async function reopen({ gitDir }: Pick<ParkedTree, "gitDir">): Promise<void> {
  for (const name of ["index", "HEAD"]) if (await isOurs(lockOf(gitDir, name))) await rm(lockOf(gitDir, name), { force: true });
}

/**
 * Brings a worktree's index to its HEAD (git-reset(1), --mixed) with nobody staging meanwhile; `look` is called before. The times of files
 * aren't looked at.
 * @throws FerryError attention where another git holds the index
 */
export async function resetIndex(tree: ParkedTree, context: Context, look: () => Promise<void>): Promise<void> {
  const [foreign] = await close(tree, context, ["index"]);
  if (foreign !== undefined) throw lockedError(`${foreign} exists`);
  // Of a name that no killed run's git is at.
  const [index, made] = [join(tree.gitDir, "index"), join(tree.gitDir, `index.${context.host.pid}`)];
  try {
    await look();
    await copyIndex(index, made);
    const args = ["reset", "--quiet", "--no-refresh"];
    const env = { GIT_INDEX_FILE: made };
    const result = await context.git.run(args, { ...inTree(tree), env, config: { "core.splitIndex": "false" } });
    if (result.code !== 0) throw systemTrouble(args, result) ?? gitError(args, result);
    await rename(made, index);
  } finally {
    await rm(made, { force: true });
    await reopen(tree);
  }
}

function lockOf(gitDir: string, name: string): string {
  return join(gitDir, `${name}.lock`);
}

/** Of a file system that knows no second names. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** By a second name, since it must say whose it is from the first moment on: on a full disk, too. */
async function take(lock: string): Promise<boolean> {
  const made = `${lock}.ferry`;
  try {
    await writeFile(made, ours);
    await link(made, lock).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && noLinks.includes(String(error.code)))) throw error;
      return writeFile(lock, ours, { flag: "wx" });
    });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return await isOurs(lock);
  } finally {
    await rm(made, { force: true });
  }
}

async function isOurs(lock: string): Promise<boolean> {
  return (await readFile(lock, "utf8").catch(missing)) === ours;
}
