import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import type { Context } from "../context.ts";
import { readIndex } from "../land/index-entries.ts";
import { lockPatience } from "../../git/locked.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { ferryFolder } from "../quarantine.ts";
import { porcelainNotes } from "../recovery/porcelain.ts";
import { rollBack, sortOut } from "../recovery/roll-back.ts";
import { changesBetween } from "../recovery/settle.ts";
import type { StashNote } from "./note.ts";

/**
 * Ends what a git left that was killed on the way between a tree with the stashed changes and one without: on the commit that they
 * were made on all is again as it was, on another one the tree is without them. Where anything else lies at one of those paths,
 * nothing is touched.
 * @throws FerryError attention where that can't be written
 */
export async function takeBack(note: StashNote, context: Context): Promise<"as it was" | "without" | "untouched"> {
  const scratch = join(ferryFolder(context.repository), "recovery");
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { mode: 0o700 });
  try {
    return await goBack(note, scratch, context);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function goBack(note: StashNote, scratch: string, context: Context): Promise<"as it was" | "without" | "untouched"> {
  const way = await findWay(note, context);
  if (way === undefined) return "untouched";
  const copy = workingCopy(scratch, context);
  const changes = await changesBetween(copy, way.tree.to, way.tree.from);
  const { foreign } = await sortOut(copy, changes);
  if (foreign.length > 0) return "untouched";
  const indexed = (await Promise.all(way.index.from.map((from) => changesBetween(copy, way.index.to, from)))).flat();
  const entries = await readIndex(copy, new Map(changes.map((change) => [change.path, change])));
  const skipped = [...entries].filter(([, entry]) => entry.skipped).map(([path]) => path);
  const before = { kept: skipped, indexed: [], skipped };
  const left = await rollBack({ copy, changes, indexed, before, rescue: join(ferryFolder(context.repository), "rescue") });
  if (left.length > 0)
    throw new FerryError("attention", `local changes that a pull put away can't be put back: ${left[0] ?? ""}`, {
      details: left,
      hint: "they are in the stash; pull again when that is mended",
    });
  return way.is;
}

interface Way {
  readonly is: "as it was" | "without";
  /** Where the working tree and the index are to go, and what of they may hold. */
  readonly tree: { readonly to: string; readonly from: string };
  readonly index: { readonly to: string; readonly from: readonly string[] };
}

/** The stash's first parent is HEAD as it was, its second the index. */
async function findWay({ stash }: StashNote, context: Context): Promise<Way | undefined> {
  const { git, repository } = context;
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const parse = async (name: string) =>
    (await git.run(["rev-parse", "--verify", "--quiet", name], options)).stdout.toString("latin1").trim();
  const [head, base] = [await parse("HEAD^{commit}"), await parse(`${stash}^1`)];
  if (head === base)
    return { is: "as it was", tree: { to: stash, from: base }, index: { to: `${stash}^2`, from: [base, stash] } };
  const merge = async (other: string) => {
    const merged = await git.run(["merge-tree", "--write-tree", "--no-messages", head, other], options);
    return merged.code === 0 ? merged.stdout.toString("latin1").trim() : undefined;
  };
  const [tree, index] = [await merge(stash), await merge(`${stash}^2`)];
  if (tree === undefined || index === undefined) return undefined;
  return { is: "without", tree: { to: head, from: tree }, index: { to: head, from: [index, tree] } };
}

function workingCopy(scratch: string, context: Context): WorkingCopy {
  const { git, host, repository } = context;
  const children = porcelainNotes({ gitDir: repository.gitDir }, context);
  return { git, host, repository, scratch, patience: lockPatience, children };
}
