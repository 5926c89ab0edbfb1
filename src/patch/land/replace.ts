import { mkdir } from "node:fs/promises";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { fileTrouble } from "../../git/trouble.ts";
import type { Aside } from "../recovery/aside.ts";
import { removeEmptyFolder, removeEmptyTree } from "../recovery/remove.ts";
import type { Checkpoint } from "../request.ts";
import { foldersTo, look, Looker, onDisk } from "./disk.ts";
import { writeIndex } from "./locks.ts";
import { RefsMoved } from "./transaction.ts";
import type { ChildNotes, WorkingCopy } from "./working-copy.ts";

/** What becomes of the files of a working tree. */
export interface Replacement {
  readonly changes: readonly Change[];
  /** Those that stay as they are: they are so already, or out of sight. */
  readonly kept: ReadonlySet<GitPath>;
  /** Those that git is told not to look at, though they are there: the index keeps that of them. */
  readonly skipped: ReadonlySet<GitPath>;
  readonly aside: Aside;
  readonly checkpoint: (name: Checkpoint) => Promise<void>;
}

/**
 * Brings the working tree to what the index has by now, and overwrites nothing on the way. `read-tree -u` looks at all files before it
 * writes the first, and then writes over whatever it finds: a file that was saved in between is lost. Here each old file is moved aside,
 * which tells whether it is still the one that was looked at, and `checkout-index` without --force makes no file where one is.
 * @throws RefsMoved where a file isn't the one that was looked at; FerryError where one can't be written
 */
export async function replaceFiles(copy: WorkingCopy, { changes, kept, skipped, aside, checkpoint }: Replacement): Promise<void> {
  const ours = changes.filter(({ path }) => !kept.has(path));
  const [gone, submodules, files] = partition(ours);
  for (const { path } of gone) takeAway(path, aside);
  await removeFolders(copy, { gone, written: [...submodules, ...files] });
  for (const { path } of submodules) await makeSubmodule(copy, path, aside);
  const noted = { ...copy, children: withCheckpoint(copy.children, checkpoint) };
  for (const paths of await inTurns(
    copy,
    files.map(({ path }) => path),
  )) {
    for (const path of paths) takeAway(path, aside);
    await checkOut(noted, paths, skipped);
  }
}

/** git-checkout-index(1): from 2.36 on it makes no file that is out of sight but by an option, which it had no need of before. */
async function checkOut(copy: WorkingCopy, paths: readonly GitPath[], skipped: ReadonlySet<GitPath>): Promise<void> {
  const write = (some: readonly GitPath[], ...option: string[]) =>
    writeIndex(copy, ["checkout-index", "-u", ...option, "-z", "--stdin"], pathBytes(some.map((path) => `${path}\0`).join("")));
  const unseen = paths.filter((path) => skipped.has(path));
  if (unseen.length < paths.length) await write(paths.filter((path) => !skipped.has(path)));
  if (unseen.length > 0)
    await write(unseen, "--ignore-skip-worktree-bits").catch((error: unknown) => {
      if (error instanceof Error && error.message.includes("unknown option")) return write(unseen);
      throw error;
    });
}

function partition(changes: readonly Change[]): [gone: Change[], submodules: Change[], files: Change[]] {
  const those = (is: (newMode: string) => boolean) => changes.filter(({ newMode }) => is(newMode));
  return [
    those((mode) => mode === modes.absent),
    those((mode) => mode === modes.gitlink),
    those((mode) => mode !== modes.absent && mode !== modes.gitlink),
  ];
}

function takeAway(path: GitPath, aside: Aside): void {
  try {
    if (aside.take(path)) return;
  } catch (error) {
    throw fileTrouble(error, showPath(path)) ?? error;
  }
  throw new RefsMoved("attention", `${showPath(path)} was changed meanwhile`);
}

/**
 * Those that nothing is left in and nothing comes into, and empty ones where a file comes or a submodule goes. One that has something of
 * its own in it stays.
 */
async function removeFolders(
  copy: WorkingCopy,
  { gone, written }: { gone: readonly Change[]; written: readonly Change[] },
): Promise<void> {
  const needed = new Set(written.flatMap(({ path }) => foldersTo(path)));
  for (const { path, oldMode } of gone) {
    if (oldMode === modes.gitlink) await removeEmptyFolder(copy, path);
    for (const folder of foldersTo(path)) if (needed.has(folder) || !(await removeEmptyFolder(copy, folder))) break;
  }
  const looker = new Looker(copy.repository.workTree);
  for (const { path, newMode } of written)
    if (newMode !== modes.gitlink && looker.look(path).what === "folder") await removeEmptyTree(copy, path);
}

/** What is checked out in it is none of ours: git leaves that, too. */
async function makeSubmodule({ repository: { workTree } }: WorkingCopy, path: GitPath, aside: Aside): Promise<void> {
  takeAway(path, aside);
  const { what } = await look(workTree, path);
  if (what === "nothing") await mkdir(onDisk(workTree, path), { recursive: true });
  else if (what !== "folder") throw new RefsMoved("attention", `${showPath(path)} was changed meanwhile`);
}

/**
 * First what decides how the others are written, and what goes through a filter: one may take long (git-lfs fetches what it hasn't got),
 * and all else is as it was meanwhile.
 */
async function inTurns(copy: WorkingCopy, paths: readonly GitPath[]): Promise<GitPath[][]> {
  const first = await filtered(copy, paths);
  const isFirst = (path: GitPath) => first.has(path) || /(?:^|\/)\.gitattributes$/u.test(path);
  return [paths.filter(isFirst), paths.filter((path) => !isFirst(path))].filter((turn) => turn.length > 0);
}

/** Those that go through a filter, by the attributes as they will be, which the index has (git-check-attr(1), --cached). */
export async function filtered(
  { git, repository, index }: Pick<WorkingCopy, "git" | "repository" | "index">,
  paths: readonly GitPath[],
): Promise<Set<GitPath>> {
  const { workTree, gitDir } = repository;
  const options = { cwd: workTree, gitDir, workTree };
  const filters = await git.run(["config", "--get-regexp", "^filter\\..*\\.(smudge|process)$"], options);
  if (filters.code !== 0) return new Set();
  const input = pathBytes(paths.map((path) => `${path}\0`).join(""));
  const env = index === undefined ? undefined : { GIT_INDEX_FILE: index };
  const said = await git.ok(["check-attr", "--cached", "--stdin", "-z", "filter"], { ...options, input, env });
  const records = said.toString("latin1").split("\0");
  return new Set(records.filter((_, at) => at % 3 === 0 && !["unspecified", "unset", undefined].includes(records[at + 2])));
}

function withCheckpoint(children: ChildNotes, checkpoint: Replacement["checkpoint"]): ChildNotes {
  const starting = async (child: Parameters<ChildNotes["starting"]>[0]) => {
    await children.starting(child);
    await checkpoint("tree-started");
  };
  return { ...children, starting };
}
