import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import { lockedError, lockIn } from "../../git/locked.ts";
import { gitError } from "../../git/runner.ts";
import { endings } from "../../git/operations.ts";
import type { Context } from "../context.ts";
import { committerIdent } from "../place/identity.ts";
import { listed } from "../place/listed.ts";
import { rebuiltContent } from "../place/rebuild.ts";
import { readItems } from "./items.ts";
import type { ParkedNote } from "./note.ts";
import { inTree, modulesOf, type ParkedTree, readState, type TreeState } from "./tree.ts";

/**
 * The commit that the worktree's line ends with, now that its conflict is resolved: one of the user's making (git cherry-pick
 * --continue, or git commit), else one that is made here of what is staged, with the sandbox's author and message.
 * @throws FerryError attention where it isn't resolved, or there is more than what is committed or staged
 */
export async function resolvedCommit(note: ParkedNote, tree: ParkedTree, context: Context): Promise<string> {
  const state = await readState(tree, context);
  refuseUnsaved(state, tree);
  const pick = note.queue[0]?.commit ?? "";
  if (state.pick === pick && state.head === note.clean) return commitStaged(note, tree, context);
  const [operation] = state.operations;
  if (operation !== undefined)
    throw attention(`a ${operation} is in progress in ${tree.workTree}`, `end it first: ${endings[operation]}`);
  if (state.staged.length > 0)
    throw attention(`${listed(state.staged)} is staged in ${tree.workTree}, and not committed`, "git commit");
  if (state.head === note.clean)
    throw attention("nothing was committed there", "ferry pull --skip leaves the commit out, --abort gives the pull up");
  if (!(await follows(note.clean, state.head, { tree, context })))
    throw attention(
      `the worktree no longer stands on ${note.clean.slice(0, 12)}, which it was parked at`,
      "ferry pull --abort gives the pull up",
    );
  return state.head;
}

/** The commit where the line goes on without the one that doesn't fit. @throws FerryError attention for work that would be lost */
export async function skippedCommit(note: ParkedNote, tree: ParkedTree, context: Context): Promise<string> {
  const state = await readState(tree, context);
  refuseUntracked(state, tree);
  if (state.head === note.clean) return note.clean;
  throw attention("the worktree has commits of its own by now", "ferry pull --continue takes them, --abort gives all of it up");
}

/** Gives what is there else. @throws FerryError attention for files that nobody else has: what is tracked is given up by intent */
export async function refuseUntrackedIn(tree: ParkedTree, context: Context): Promise<TreeState> {
  const state = await readState(tree, context);
  refuseUntracked(state, tree);
  return state;
}

function refuseUnsaved(state: TreeState, tree: ParkedTree): void {
  if (state.unmerged.length > 0)
    throw attention(
      `${listed(state.unmerged)} still has its conflict`,
      `resolve it in ${tree.workTree}, and git add it`,
      state.unmerged,
    );
  if (state.unstaged.length > 0)
    throw attention(
      `${listed(state.unstaged)} has changes that aren't staged`,
      `git add or git restore them in ${tree.workTree}`,
      state.unstaged,
    );
  refuseUntracked(state, tree);
}

function refuseUntracked({ untracked, unseen, hasSubmodules }: TreeState, tree: ParkedTree): void {
  const { workTree } = tree;
  if (hasSubmodules)
    throw attention(
      `submodules are checked out in ${workTree}, and what only they have would go with it`,
      `push that; then, there: git submodule deinit --force --all && rm -r ${shellWord(modulesOf(tree))}`,
    );
  if (unseen.length > 0)
    throw attention(
      `${listed(unseen)} has changes out of git's sight, which would go with the worktree`,
      `git update-index --no-assume-unchanged --no-skip-worktree it in ${workTree}, then git add or git restore it`,
      unseen,
    );
  if (untracked.length > 0)
    throw attention(
      `${listed(untracked)} isn't in git, and would go with the worktree`,
      `git add it in ${workTree} (-f where it is ignored), or move it away`,
      untracked,
    );
}

function attention(message: string, hint: string, details: readonly string[] = []): FerryError {
  return new FerryError("attention", message, { hint, details });
}

async function commitStaged(note: ParkedNote, tree: ParkedTree, context: Context): Promise<string> {
  const { git } = context;
  const options = inTree(tree);
  const ask = async (args: readonly string[], input?: Uint8Array) =>
    (await git.ok(args, { ...options, input })).toString("latin1").trim();
  const written = await git.run(["write-tree"], options);
  const lock = written.code === 0 ? undefined : lockIn(written);
  if (lock !== undefined) throw lockedError(`${lock} exists`);
  if (written.code !== 0) throw gitError(["write-tree"], written);
  const staged = written.stdout.toString("latin1").trim();
  if (staged === (await ask(["rev-parse", "--verify", "--quiet", `${note.clean}^{tree}`]))) return note.clean;
  const [item] = await readItems([note.queue[0]?.commit ?? ""], context);
  if (item === undefined) return note.clean;
  const content = rebuiltContent(item, { tree: staged, parents: [note.clean], committer: await committerIdent(context) });
  return ask(["hash-object", "-t", "commit", "-w", "--stdin"], content);
}

async function follows(
  before: string,
  after: string,
  { tree, context }: { tree: ParkedTree; context: Context },
): Promise<boolean> {
  return (await context.git.run(["merge-base", "--is-ancestor", before, after], inTree(tree))).code === 0;
}
