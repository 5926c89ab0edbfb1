import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type GitPath, showPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { type Entry, presentAs } from "../land/compare.ts";
import { look, onDisk } from "../land/disk.ts";
import { changesBetween } from "../recovery/settle.ts";
import { rescuePath, rescueFolder } from "../recovery/rescue.ts";
import { ferryFolder } from "../quarantine.ts";
import type { ParkedNote } from "./note.ts";
import { inTree, type ParkedTree } from "./tree.ts";

/**
 * Copies what lies in a worktree that was being taken on when its ferry was killed, and is neither what it stood at nor what it is to
 * be, nor what was given up (the conflict of a commit that is left out): someone has worked there since, and the reset that is still
 * to come would overwrite it. Gives the paths.
 */
export async function rescueChanged(
  { from, clean, givenUp = {} }: ParkedNote,
  tree: ParkedTree,
  context: Context,
): Promise<string[]> {
  const { git, repository } = context;
  const own = { git, repository: { ...repository, ...tree } };
  const scratch = join(ferryFolder(repository), "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const left = new Set([...(await differing(from ?? clean, tree, context)), ...(await untracked(tree, context))]);
  for (const commit of new Set([clean, from ?? clean])) {
    const changes = await changesBetween(own, undefined, commit);
    const entries = changes.flatMap(({ path, newMode, newId }): Entry[] =>
      left.has(path) ? [{ path, mode: newMode, id: newId }] : [],
    );
    for (const path of await presentAs(git, own.repository, { entries, scratch })) left.delete(path);
  }
  await rm(scratch, { recursive: true, force: true });
  const rescued: GitPath[] = [];
  for (const path of left)
    if (
      (await contentOf(path, tree)) !== (givenUp[path] ?? "") &&
      (await rescuePath(tree.workTree, path, rescueFolder(repository)))
    )
      rescued.push(path);
  return rescued.map(showPath);
}

/** What differs from a commit in a worktree, by its content; what isn't a file is left out. */
export async function changedContents(
  commit: string,
  tree: ParkedTree,
  context: Context,
): Promise<Readonly<Record<GitPath, string>>> {
  const entries = (await differing(commit, tree, context)).map(async (path): Promise<[GitPath, string]> => [
    path,
    await contentOf(path, tree),
  ]);
  return Object.fromEntries((await Promise.all(entries)).filter(([, content]) => content !== ""));
}

/** Its SHA-256; "" for what is no file. */
async function contentOf(path: GitPath, { workTree }: ParkedTree): Promise<string> {
  if ((await look(workTree, path)).what !== "file") return "";
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(onDisk(workTree, path))) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Also what git is told not to look at. */
async function differing(commit: string, tree: ParkedTree, { git }: Context): Promise<GitPath[]> {
  const args = ["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--ignore-submodules=all", commit, "--"];
  const unseen = (await git.ok(["ls-files", "-z", "-v"], inTree(tree))).toString("latin1").split("\0");
  const hidden = unseen.filter((line) => /^[a-zS]/u.test(line)).map((line) => line.slice(2));
  return [...(await git.ok(args, inTree(tree))).toString("latin1").split("\0").filter(Boolean), ...hidden];
}

async function untracked(tree: ParkedTree, { git }: Context): Promise<GitPath[]> {
  return (await git.ok(["ls-files", "-z", "--others"], inTree(tree))).toString("latin1").split("\0").filter(Boolean);
}
