import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./discover.ts";
import type { Git } from "./git.ts";

/** What git itself calls "in progress" (wt-status.c): a person, or a tool for one, is in the middle of it. */
export type Operation = "merge" | "rebase" | "am" | "cherry-pick" | "revert" | "bisect";

/** How each ends by hand, for the hint of a refusal. */
export const endings: Readonly<Record<Operation, string>> = {
  merge: "git merge --continue, or git merge --abort",
  rebase: "git rebase --continue, or git rebase --abort",
  am: "git am --continue, or git am --abort",
  "cherry-pick": "git cherry-pick --continue, or git cherry-pick --abort",
  revert: "git revert --continue, or git revert --abort",
  bisect: "git bisect reset",
};

/** The operations that are open in this working copy, outermost first. */
export async function openOperations(git: Git, repository: Repository): Promise<Operation[]> {
  const found = await Promise.all(
    marks.map(async ([operation, path]) => ((await exists(join(repository.gitDir, path))) ? operation : undefined)),
  );
  const heads = await pseudoRefs(git, repository);
  return [...new Set([...found, ...heads].filter((operation) => operation !== undefined))].filter(isOutermost);
}

const marks: readonly (readonly [Operation, string])[] = [
  ["rebase", "rebase-merge"],
  ["rebase", "rebase-apply/rebasing"],
  ["am", "rebase-apply/applying"],
  ["am", "rebase-apply"],
  ["merge", "MERGE_HEAD"],
  ["cherry-pick", "CHERRY_PICK_HEAD"],
  ["revert", "REVERT_HEAD"],
  ["cherry-pick", "sequencer"],
  ["bisect", "BISECT_LOG"],
];

/**
 * Whether the merge that MERGE_HEAD tells of is made: while post-merge runs, git (2.39's `finish`) hasn't yet taken its notes away. One
 * that isn't made merges no parent of HEAD, since git has nothing to do there.
 */
export async function isMergeMade(git: Git, { gitDir }: Repository): Promise<boolean> {
  const heads = (await readFile(join(gitDir, "MERGE_HEAD"), "utf8").catch(() => "")).split("\n").filter(Boolean);
  const { code, stdout } = await git.run(["rev-parse", "--revs-only", "HEAD^@"], { cwd: gitDir, gitDir });
  const parents = new Set(stdout.toString("utf8").split("\n"));
  return code === 0 && heads.length > 0 && heads.every((head) => parents.has(head));
}

/** Whether git keeps local work that a merge put aside (`--autostash`), to put it back on HEAD when the merge is over. */
export async function hasAutostash(git: Git, { gitDir }: Repository): Promise<boolean> {
  return (await git.run(["rev-parse", "--verify", "--quiet", "MERGE_AUTOSTASH"], { cwd: gitDir, gitDir })).code === 0;
}

/** Where refs aren't files (reftable), these two are in the ref store. */
async function pseudoRefs(git: Git, { gitDir }: Repository): Promise<(Operation | undefined)[]> {
  const input = "CHERRY_PICK_HEAD\nREVERT_HEAD\n";
  const lines = (await git.ok(["cat-file", "--batch-check"], { cwd: gitDir, gitDir, input })).toString("utf8").split("\n");
  return (["cherry-pick", "revert"] as const).map((operation, at) =>
    lines[at]?.endsWith(" missing") === false ? operation : undefined,
  );
}

/** A rebase leaves `rebase-apply` and `CHERRY_PICK_HEAD` too, a revert of several `sequencer`: the inner one isn't the one to end. */
function isOutermost(operation: Operation, _at: number, all: readonly Operation[]): boolean {
  if (operation === "am" || operation === "cherry-pick")
    return !all.includes("rebase") && !(operation === "cherry-pick" && all.includes("revert"));
  return true;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
