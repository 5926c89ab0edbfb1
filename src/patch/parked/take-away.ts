import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { rename, rm, rmdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { type GitPath, gitPath } from "../../git/path.ts";
import type { Context } from "../context.ts";
import { onDisk, stampOf } from "../land/disk.ts";
import { type Rescued, rescueByMoving, rescueFolder } from "../recovery/rescue.ts";
import { gitLink, type Known, lookAt, type Seen } from "./look.ts";
import { close } from "./closed.ts";
import { rescueHeld } from "./held.ts";
import { parkedFolder, type ParkedNote } from "./note.ts";
import { asideOf, findTree, gitDirOf, modulesOf, type ParkedTree, unlessInUse } from "./tree.ts";

/** How often it is looked again at what came while it was being taken away. */
const rounds = 3;

/**
 * Takes a worktree away, but nothing of what someone has made in it since it was read: that is in the rescue folder then, and given.
 * It is first moved from where it was, so that a late save finds no such folder; and then each file goes only as it was looked at. What
 * was killed on the way is gone on with.
 */
export async function takeAway(note: ParkedNote, known: Known, context: Context): Promise<Rescued[]> {
  const { repository } = context;
  const tree = (await findTree(note, context)) ?? {
    gitDir: gitDirOf(note, context),
    workTree: join(parkedFolder(context), note.name),
  };
  const aside = await setAside(note, tree, context);
  await context.checkpoint("park-aside");
  const rescued = isThere(aside) ? await empty({ ...tree, workTree: aside }, { note, known }, context) : [];
  // Made anew meanwhile by a program that makes the folders that it saves in.
  if (isThere(tree.workTree) && tree.workTree.startsWith(`${parkedFolder(context)}${sep}`))
    rescued.push(await rescueWhole(tree.workTree, note, context));
  // Their only git folders, with commits that are nowhere else.
  if (isThere(modulesOf(tree)))
    rescued.push({
      path: "modules",
      copy: await rescueByMoving(modulesOf(tree), "modules", rescueFolder(repository)),
      isParked: true,
    });
  if (isThere(tree.gitDir)) {
    await close(tree, context);
    rescued.push(...(await rescueHeld(note, tree, context)));
    await context.checkpoint("park-closed");
  }
  // As git-worktree(1) does; it would also take away what lies in the worktree's place by now.
  await rm(tree.gitDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  await rmdir(join(repository.commonDir, "worktrees")).catch(unlessInUse);
  return rescued;
}

/**
 * Moves what someone has made in a worktree since it was read to the rescue folder. Gives what that was.
 * @throws the system's error where something can't be moved
 */
export async function rescueOwn(tree: ParkedTree, known: Known, context: Context): Promise<Rescued[]> {
  const rescued: Rescued[] = [];
  for (const path of (await lookAt(tree, known, context)).own) rescued.push(await moveOwn(tree, path, context));
  return rescued;
}

/** Where it lies then: in its place where it can't be moved, as across file systems, or where a program holds it (Windows). */
async function setAside(note: ParkedNote, { workTree }: ParkedTree, context: Context): Promise<string> {
  const aside = asideOf(note, context);
  if (isThere(aside) || !isThere(workTree)) return aside;
  const isAside = await rename(workTree, aside).then(() => true, unlessFixed);
  return isAside ? aside : workTree;
}

function unlessFixed(error: NodeJS.ErrnoException): false {
  if (!["EXDEV", "EBUSY", "EPERM", "EACCES"].includes(error.code ?? "")) throw error;
  return false;
}

/** Gives what is in the rescue folder then; what can't be moved or removed, as in a folder that may not be written, goes there as a whole. */
async function empty(
  tree: ParkedTree,
  { note, known }: { note: ParkedNote; known: Known },
  context: Context,
): Promise<Rescued[]> {
  const rescued: Rescued[] = [];
  for (let round = 0; round < rounds; round++) {
    const looked = await lookAt(tree, known, context);
    for (const path of looked.own) {
      const moved = await moveOwn(tree, path, context).catch(unlessForbidden);
      if (moved !== undefined) rescued.push(moved);
    }
    if (remove(tree.workTree, looked.known)) return rescued;
  }
  return [...rescued, await rescueWhole(tree.workTree, note, context)];
}

/** Moves what someone has made in a worktree to the rescue folder. */
export async function moveOwn({ workTree }: ParkedTree, path: GitPath, { repository }: Context): Promise<Rescued> {
  return { path, copy: await rescueByMoving(onDisk(workTree, path), path, rescueFolder(repository)), isParked: true };
}

async function rescueWhole(workTree: string, { name }: ParkedNote, { repository }: Context): Promise<Rescued> {
  return { path: name, copy: await rescueByMoving(workTree, name, rescueFolder(repository)), isParked: true };
}

/** Each file as it was looked at, and the folders that are empty then. False where something is left. */
function remove(workTree: string, known: Seen): boolean {
  try {
    for (const [path, stamp] of known) {
      const file = onDisk(workTree, path);
      if (stampOf(file) === stamp) unlinkSync(file);
    }
    return removeFolders(workTree, "");
  } catch (error) {
    unlessForbidden(error);
    return false;
  }
}

/** With the file that makes it a worktree, which is git's, last. */
function removeFolders(workTree: string, folder: GitPath): boolean {
  let isEmpty = true;
  let link: GitPath | undefined;
  for (const entry of readdirSync(onDisk(workTree, folder), { encoding: "buffer", withFileTypes: true })) {
    const path = folder === "" ? gitPath(entry.name) : `${folder}/${gitPath(entry.name)}`;
    if (entry.isDirectory()) isEmpty = removeFolders(workTree, path) && isEmpty;
    else if (path === gitLink && entry.isFile()) link = path;
    else isEmpty = false;
  }
  if (!isEmpty) return false;
  if (link !== undefined) unlinkSync(onDisk(workTree, link));
  rmdirSync(onDisk(workTree, folder));
  return true;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Also where something came into a folder, or went, in that moment. */
function unlessForbidden(error: unknown): undefined {
  const codes = ["EACCES", "EPERM", "EBUSY", "EROFS", "ENOENT", "ENOTEMPTY", "EEXIST"];
  if (!(error instanceof Error && "code" in error && codes.includes(String(error.code)))) throw error;
  return undefined;
}
