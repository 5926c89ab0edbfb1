import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import { modes, readChanges } from "../../git/records.ts";
import { pickedTree } from "../conflict/pick.ts";
import type { Context } from "../context.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import { freeName, nameOf, noteRescued, type Rescued, rescueFolder } from "../recovery/rescue.ts";
import type { Held, ParkedNote } from "./note.ts";
import { inGitFolder, missing, type ParkedTree } from "./tree.ts";

export async function readHeld(tree: ParkedTree, context: Context): Promise<Held> {
  const logged = (await readLog(tree)).length;
  return { staged: Object.fromEntries((await stagedSince("HEAD", tree, context)) ?? []), logged };
}

/**
 * Keeps what someone has staged or committed in a worktree since it was read, and gives what that was: of a file the blob, in the rescue
 * folder; of commits that nothing else has a ref. The files may have other content by now, and needn't be there.
 */
export async function rescueHeld(note: ParkedNote, tree: ParkedTree, context: Context): Promise<Rescued[]> {
  return [...(await rescueStaged(note, tree, context)), ...(await rescueCommits(note, tree, context))];
}

/** What differs from where the worktree was read, from where it is taken to, from what a cherry-pick has put there, and from HEAD. */
async function rescueStaged(note: ParkedNote, tree: ParkedTree, context: Context): Promise<Rescued[]> {
  const { git, repository } = context;
  const { from, clean, held } = note;
  const place = inGitFolder(tree);
  const trees = [from ?? clean, clean, "HEAD", ...(await pickedTrees(note, tree, context))];
  const known = await Promise.all(trees.map((each) => stagedSince(each, tree, context)));
  const [since, ...others] = known.filter((differs) => differs !== undefined);
  const rescued: Rescued[] = [];
  for (const [path, id] of since ?? []) {
    if (held?.staged[path] === id || others.some((differs) => !differs.has(path))) continue;
    const content = await git.ok(["cat-file", "blob", id], place);
    await mkdir(rescueFolder(repository), { recursive: true, mode: 0o700 });
    const copy = freeName(rescueFolder(repository), `${nameOf(path)}.staged`);
    rescued.push(noted({ path, copy, isParked: true }, context));
    await writeFile(copy, content, { mode: 0o600 });
  }
  return rescued;
}

/**
 * What cherry-picks of ours have put there: by the note; of one that was killed before it was noted by git, as long as it stands.
 * AUTO_MERGE alone may be anybody's: git-stash(1)'s pop leaves one as well.
 */
async function pickedTrees({ picked, made, queue }: ParkedNote, tree: ParkedTree, context: Context): Promise<string[]> {
  const place = inGitFolder(tree);
  const pick = await context.git.run(["rev-parse", "--verify", "--quiet", "CHERRY_PICK_HEAD"], place);
  const isOurs = made === undefined && pick.stdout.toString("latin1").trim() === queue[0]?.commit;
  const now = isOurs && picked === undefined ? await pickedTree(place, context) : undefined;
  return [picked, now].filter((each) => each !== undefined);
}

function noted(rescued: Rescued, { repository }: Context): Rescued {
  noteRescued(rescueFolder(repository), rescued);
  return rescued;
}

/** What an index has otherwise than a tree: paths by their blobs. What is in conflict has none. Undefined where git can't tell. */
async function stagedSince(known: string, tree: ParkedTree, { git }: Context): Promise<Map<GitPath, string> | undefined> {
  const options = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=all"];
  const said = await git.run(["diff-index", "--cached", ...options, known, "--"], inGitFolder(tree));
  if (said.code !== 0) return undefined;
  const changes = readChanges(said.stdout).filter(({ newMode, newId }) => newMode !== modes.gitlink && !/^0+$/u.test(newId));
  return new Map(changes.map(({ path, newId }) => [path, newId]));
}

async function rescueCommits(note: ParkedNote, tree: ParkedTree, context: Context): Promise<Rescued[]> {
  const { git } = context;
  const place = inGitFolder(tree);
  const { from, clean, name, held } = note;
  const known = [...new Set([from ?? clean, clean])].map((commit) => `^${commit}`);
  const rescued: Rescued[] = [];
  // The newest first: it mostly has the others.
  for (const commit of await commitsSince(held?.logged, tree, context)) {
    const ask = (...others: string[]) => git.run(["rev-list", "--max-count=1", commit, ...known, ...others], place);
    const told = await ask("--not", "--branches", "--tags", "--glob=refs/ferry/rescue");
    // One ref of the repository's that is broken ends it; then what only a ref has is kept once more.
    const found = told.code === 0 ? told : await ask();
    if (found.code !== 0 || found.stdout.length === 0) continue;
    const ref = await freeRef(name, context);
    rescued.push(noted({ path: commit.slice(0, 12), copy: ref, isParked: true }, context));
    await moveRefs({ updates: [moveRef(ref, undefined, commit)], reason: "ferry pull: commits of a parked worktree" }, context);
    known.push(`^${commit}`);
  }
  return rescued;
}

/** Where HEAD is, and was since its log had so many bytes; a shorter one was written anew. */
async function commitsSince(logged: number | undefined, tree: ParkedTree, { git }: Context): Promise<string[]> {
  const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], inGitFolder(tree));
  const log = await readLog(tree);
  const since = logged === undefined ? "" : log.subarray(logged > log.length ? 0 : logged).toString("latin1");
  const logs = since.split("\n").map((line) => line.split(" ", 2)[1] ?? "");
  const all = [head.stdout.toString("latin1").trim(), ...logs.toReversed()];
  return [...new Set(all)].filter((id) => /^[0-9a-f]+$/u.test(id) && !/^0+$/u.test(id));
}

/** gitrepository-layout(5), logs; none where core.logAllRefUpdates is off. */
async function readLog({ gitDir }: ParkedTree): Promise<Buffer> {
  return (await readFile(join(gitDir, "logs", "HEAD")).catch(missing)) ?? Buffer.of();
}

async function freeRef(name: string, { git, repository: { gitDir } }: Context): Promise<string> {
  const listing = await git.ok(["for-each-ref", "--format=%(refname)", "refs/ferry/rescue/"], { cwd: gitDir, gitDir });
  const taken = new Set(listing.toString("latin1").split("\n"));
  for (let number = 1; ; number++) {
    const ref = `refs/ferry/rescue/${name}${number === 1 ? "" : `-${number}`}`;
    if (!taken.has(ref)) return ref;
  }
}
