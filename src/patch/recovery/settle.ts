import { existsSync } from "node:fs";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { readHead } from "../../git/discover.ts";
import { readChanges } from "../../git/records.ts";
import { ferryFolder } from "../quarantine.ts";
import { Aside, asideFolder, type Rescue } from "./aside.ts";
import type { Left } from "./journal.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { type Rescued, rescueFolder } from "./rescue.ts";
import { rollBack } from "./roll-back.ts";

export interface Settled {
  /** new: HEAD had moved already, so all is done. restored: HEAD is old, and so is the tree again. elsewhere: nothing was touched. */
  readonly state: "new" | "restored" | "elsewhere";
  /** Paths that were left, each with why: someone's own content is there, or the old can't be made again. */
  readonly foreign: readonly string[];
}

/** Ends what a journal tells of, by where HEAD is: the tree is written before the refs move, so a HEAD that moved has its tree. */
export async function settle(left: Left, copy: WorkingCopy): Promise<Settled> {
  const { git, repository } = copy;
  const head = await readHead(git, repository);
  const commit = head.state === "unborn" ? undefined : head.commit;
  if (commit === left.new && (await hasMoved(left, copy))) return { state: "new", foreign: [] };
  if (commit !== left.old) return { state: "elsewhere", foreign: [] };
  if (left.before === undefined) return { state: "restored", foreign: [] };
  const { overlay } = left;
  const index = overlay?.index ?? left;
  const indexed = await changesBetween(copy, index.old, index.new);
  const changes = overlay === undefined ? indexed : await changesBetween(copy, overlay.old, overlay.new);
  const aside = asideOf(left, copy);
  const foreign = await rollBack({ copy, changes, indexed, before: left.before, aside, rescue: await rescueOf(left, copy) });
  return { state: "restored", foreign };
}

/** Where nothing is touched: gives the files that were kept aside and are in the rescue folder now, since they are nowhere else. */
export async function rescueAside(left: Left, copy: WorkingCopy): Promise<Rescued[]> {
  const { old, new: tip } = left.overlay ?? left;
  return asideOf(left, copy).rescue(await changesBetween(copy, old, tip), await rescueOf(left, copy));
}

/**
 * Where all is done: gives the files that someone wrote into while they were replaced, or since by a program that had them open, and
 * that are in the rescue folder now. Git looks at files before it writes the first, and takes the rest for what it saw.
 */
export async function rescueEdited(left: Left, copy: Pick<WorkingCopy, "git" | "repository">): Promise<Rescued[]> {
  const aside = asideOf(left, copy);
  const edited = new Set(aside.edited());
  if (edited.size === 0) return [];
  const { old, new: tip } = left.overlay ?? left;
  const changes = (await changesBetween(copy, old, tip)).filter(({ path }) => edited.has(path));
  return aside.rescue(changes, await rescueOf(left, copy));
}

/** The branch's own content lasts; what else the working tree held was captured of the user's work, and goes with the landing. */
async function rescueOf({ old, overlay }: Left, copy: Pick<WorkingCopy, "git" | "repository">): Promise<Rescue> {
  const captured = overlay === undefined ? [] : await changesBetween(copy, old, overlay.old);
  return { folder: rescueFolder(copy.repository), passing: new Set(captured.map(({ path }) => path)) };
}

function asideOf({ before }: Left, copy: Pick<WorkingCopy, "git" | "repository">): Aside {
  return new Aside(asideFolder(ferryFolder(copy.repository)), before ?? {}, copy);
}

/** Where HEAD stays where it is, the first ref that doesn't tells whether the transaction was committed. */
async function hasMoved({ old, new: tip, updates }: Left, { git, repository }: WorkingCopy): Promise<boolean> {
  if (old !== tip) return true;
  const moved = updates.find(({ to, from }) => to !== from);
  if (moved === undefined) return true;
  const { gitDir } = repository;
  const result = await git.run(["rev-parse", "--verify", "--quiet", moved.ref], { cwd: gitDir, gitDir });
  const value = result.stdout.toString("latin1").trim();
  return value === (/^0+$/u.test(moved.to) ? "" : moved.to);
}

/** Undefined for no tree. */
export async function changesBetween(
  { git, repository }: Pick<WorkingCopy, "git" | "repository">,
  old: string | undefined,
  tip: string | undefined,
) {
  const { gitDir } = repository;
  const options = { cwd: gitDir, gitDir };
  const empty = async () =>
    (await git.ok(["hash-object", "-t", "tree", "--stdin"], { ...options, input: "" })).toString("latin1").trim();
  const trees = [old ?? (await empty()), tip ?? (await empty())];
  return readChanges(await git.ok(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", ...trees], options));
}

export function foreignError(lines: readonly string[], folder: string, cause?: unknown): FerryError {
  const rescue = join(folder, "rescue");
  const copies = `; copies of what was changed meanwhile, and of how it was, are in ${rescue}`;
  return new FerryError(
    "attention",
    `a pull was taken back, except for ${lines[0] ?? ""}${lines.length > 1 ? `, and ${lines.length - 1} more` : ""}`,
    {
      details: lines,
      hint: `look at them with git status${existsSync(rescue) ? copies : ""}`,
      cause,
    },
  );
}
