import { lstatSync, mkdirSync, renameSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { exchange, type Made } from "../conflict/exchange.ts";
import { pickApart } from "../conflict/apart.ts";
import { pickedTree } from "../conflict/pick.ts";
import type { Context } from "../context.ts";
import { foldersTo, Looker, onDisk, stampOf } from "../land/disk.ts";
import { runPorcelain } from "../recovery/porcelain.ts";
import { changesBetween } from "../recovery/settle.ts";
import { type TakenOut, withoutMoving } from "../recovery/take-out.ts";
import { contentsOf, differing, type Known, lookAt, type Seen } from "./look.ts";
import { resetIndex } from "./closed.ts";
import { type Parked, type ParkedNote, parkedFolder, replaceNote } from "./note.ts";
import { rescueHeld } from "./held.ts";
import { moveOwn, rescueOwn } from "./take-away.ts";
import { gitDirOf, inTree, type ParkedTree } from "./tree.ts";

/**
 * Takes a worktree whose HEAD stands at `clean` by now to the first commit of the queue, which stops there with its markers. All files are
 * made apart, those that the worktree is behind in among them, and come when all are made. What someone has made there since it was read
 * stays, or is in the rescue folder then where it is in the way, and told at the end.
 * @throws FerryError attention where HEAD is elsewhere
 */
export async function makeStop(
  parked: Parked,
  { tree, seen }: { tree: ParkedTree; seen?: Seen | undefined },
  context: Context,
): Promise<Parked> {
  const { note } = parked;
  await sweepStop(note, context);
  await refuseElsewhere(note, tree, context);
  const { files, was } = placesOf(note, context);
  for (const folder of [files, was]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const far = await farFrom(note, tree, context);
  await resetIndex(tree, context, async () => {
    await refuseElsewhere(note, tree, context);
    context.edited.push(...(await rescueHeld(note, tree, context)));
  });
  await context.checkpoint("park-reset");
  const { changed, after } = await pickApart(note.queue[0]?.commit ?? "", { ...tree, folder: files, far }, context);
  const made = await contentsOf(changed, files);
  const picked = await pickedTree(inTree(tree), context);
  const noted = await replaceNote(parked, { made, picked }, { context });
  await context.checkpoint("park-made");
  await bringIn(sorted([...far, ...changed], files, after), { tree, was, known: { ...knownOf(noted.note), seen } }, context);
  await runPorcelain(["update-index", "-q", "--refresh"], inTree(tree), context);
  await rm(dirname(files), { recursive: true, force: true });
  return noted;
}

/** Someone may have committed there since it was moved on, or have taken a branch there, which the reset would move. */
async function refuseElsewhere({ clean }: ParkedNote, tree: ParkedTree, { git }: Context): Promise<void> {
  const head = (await git.run(["rev-parse", "--verify", "--quiet", "HEAD"], inTree(tree))).stdout.toString("latin1").trim();
  const isOnBranch = (await git.run(["symbolic-ref", "--quiet", "HEAD"], inTree(tree))).code === 0;
  if (head === clean && !isOnBranch) return;
  throw new FerryError(
    "attention",
    `${oneLine(tree.workTree)} was on its way to the next conflict, and HEAD was moved there since`,
    {
      hint: `in it: git branch NAME keeps what was committed there; then git switch --detach ${clean.slice(0, 12)}, and ferry pull --continue (--abort gives the pull up)`,
    },
  );
}

/** Whether its files have still to come. */
export function isOnItsWay(note: Pick<ParkedNote, "name">, context: Context): boolean {
  return lstatSync(dirname(placesOf(note, context).files), { throwIfNoEntry: false }) !== undefined;
}

/** What may go of a worktree that is on its way. */
export function knownOf({ from, clean, givenUp, made }: ParkedNote): Known {
  return { commits: [from ?? clean, clean], contents: [givenUp ?? {}, made ?? {}] };
}

/** What a killed run left of its way to a stop: a file that it had just moved may be one that nobody had looked at. */
export async function sweepStop(note: ParkedNote, context: Context): Promise<void> {
  const { files, was } = placesOf(note, context);
  const tree = { gitDir: gitDirOf(note, context), workTree: was };
  if (lstatSync(was, { throwIfNoEntry: false }) !== undefined)
    context.edited.push(...(await rescueOwn(tree, knownOf(note), context)));
  await rm(dirname(files), { recursive: true, force: true });
}

/** Where the files of the next stop are made, and where those that they replace lie meanwhile. */
function placesOf({ name }: Pick<ParkedNote, "name">, context: Context): { files: string; was: string } {
  const folder = join(parkedFolder(context), `${name}.next`);
  return { files: join(folder, "files"), was: join(folder, "was") };
}

/** The paths where the worktree isn't as its HEAD is by now. Of what is in no index, as after a kill, the note tells. */
async function farFrom(note: ParkedNote, tree: ParkedTree, context: Context): Promise<GitPath[]> {
  const { clean, from = clean, givenUp, made } = note;
  const { git, repository } = context;
  const copy = { git, repository: { ...repository, gitDir: repository.commonDir, workTree: tree.workTree } };
  const left = (await changesBetween(copy, from, clean)).map(({ path }) => path);
  const changed = (await differing(clean, tree, context)) ?? [];
  return [...new Set([...left, ...changed, ...Object.keys({ ...givenUp, ...made })])];
}

/** What comes and what goes. What git left alone stays: one side of a conflict, and what is out of sight. */
function sorted(paths: readonly GitPath[], folder: string, entries: ReadonlyMap<GitPath, string>): Made {
  const looker = new Looker(folder);
  const all = [...new Set(paths)];
  return {
    folder,
    coming: all.filter((path) => entries.has(path) && !["nothing", "behind"].includes(looker.look(path).what)),
    going: all.filter((path) => !entries.has(path)),
  };
}

async function bringIn(
  made: Made,
  { tree, was, known: about }: { tree: ParkedTree; was: string; known: Known },
  context: Context,
): Promise<void> {
  const { known } = await lookAt(tree, about, context);
  await context.checkpoint("park-looked");
  const taken = new Map<GitPath, string>();
  const take = async (path: GitPath) => {
    const stamp = known.get(path);
    if (stamp === undefined) return false;
    const found = moveOut(path, stamp, { tree, was });
    if (found === "other") context.edited.push(await moveOwn({ ...tree, workTree: was }, path, context));
    if (found === "moved") taken.set(path, stamp);
    await context.checkpoint("park-taken");
    return found !== "changed" && found !== "stays";
  };
  const makeRoom = async (path: GitPath) => {
    const { what } = new Looker(tree.workTree).look(path);
    if (what !== "nothing" && what !== "behind") context.edited.push(await moveOwn(tree, path, context));
  };
  const copy = { repository: { ...context.repository, workTree: tree.workTree } };
  await exchange(made, { copy, take, makeRoom });
  // By a program that had it open.
  for (const [path, stamp] of taken)
    if (stampOf(onDisk(was, path)) !== stamp) context.edited.push(await moveOwn({ ...tree, workTree: was }, path, context));
}

/** `other`: it wasn't the one that was looked at, and was moved all the same. */
function moveOut(path: GitPath, stamp: string, { tree, was }: { tree: ParkedTree; was: string }): "moved" | "other" | TakenOut {
  const [file, name] = [onDisk(tree.workTree, path), onDisk(was, path)];
  const [folder] = foldersTo(path);
  if (folder !== undefined) mkdirSync(onDisk(was, folder), { recursive: true, mode: 0o700 });
  try {
    renameSync(file, name);
  } catch (error) {
    return withoutMoving(file, stamp, error as NodeJS.ErrnoException);
  }
  return stampOf(name) === stamp ? "moved" : "other";
}
