import { access, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { discover, type Head, type Repository } from "../git/discover.ts";
import type { Git } from "../git/git.ts";
import { endings, hasAutostash, isMergeMade, openOperations, type Operation } from "../git/operations.ts";
import type { Context } from "./context.ts";
import type { Errand, PatchHost } from "./request.ts";
import { worktreeWith } from "./worktree/list.ts";

/**
 * The working copy that a pull is for.
 * @throws FerryError attention for a bare repository, and where GIT_DIR names another than the one around the folder; not_found
 * outside of any
 */
export async function findWorkingCopy(
  git: Git,
  { folder, repository: known }: Pick<Errand, "folder" | "repository">,
  { env }: Pick<PatchHost, "env">,
): Promise<Context["repository"]> {
  const repository = known ?? (await discover(git, folder));
  const { workTree } = repository;
  if (workTree === undefined)
    throw new FerryError("attention", "this repository is bare: it has no working copy to bring commits to", {
      hint: "pull in a clone or a worktree of it",
    });
  await refuseOtherRepository(folder, env["GIT_DIR"], repository);
  return { ...repository, workTree };
}

/** Inside a hook git tells by its variables which repository it is at work in. */
async function refuseOtherRepository(folder: string, named: string | undefined, repository: Repository): Promise<void> {
  if (named === undefined || named === "") return;
  const gitDir = await realpath(resolve(folder, named)).catch(() => "");
  if (gitDir === repository.gitDir || gitDir === repository.commonDir) return;
  throw new FerryError("attention", `GIT_DIR names another repository than the one around ${folder}`, {
    hint: "unset GIT_DIR, or go to that repository's working copy",
  });
}

/**
 * A commit that is being made holds the index as it was: if HEAD moved now, that commit would fail or undo what came.
 * @throws FerryError attention
 */
export async function refuseInsideCommit(
  git: Git,
  { request, host, repository }: Pick<Context, "request" | "host" | "repository">,
): Promise<void> {
  const index = host.env["GIT_INDEX_FILE"];
  const locked = request.hook !== undefined && (await exists(join(repository.gitDir, "HEAD.lock")));
  if (index === undefined && !locked) return;
  const inCommit = locked || (await isBeingCommitted(git, repository, resolve(request.folder, index ?? "")));
  if (inCommit)
    throw new FerryError("attention", "a commit is being made in this working copy", { hint: "pull when it is done" });
}

/** `commit -a` and `commit PATH` name a lock file or hold one; a plain commit has put its index in place, and differs from HEAD. */
async function isBeingCommitted(git: Git, { gitDir, workTree }: Context["repository"], index: string): Promise<boolean> {
  if (index.endsWith(".lock") || (await exists(`${index}.lock`))) return true;
  const options = { cwd: workTree, gitDir, workTree, env: { GIT_INDEX_FILE: index } };
  return (await git.run(["diff-index", "--cached", "--quiet", "HEAD", "--"], options)).code !== 0;
}

/**
 * @throws FerryError attention for an operation that git or a person is in the middle of, for local work that git will put back on HEAD, and for
 * a branch that is checked out elsewhere too
 */
export async function refuseBusy(context: Context, head: Head): Promise<void> {
  const [operation] = await operationsInTheWay(context);
  if (operation !== undefined)
    throw new FerryError("attention", `${operation === "am" ? "an" : "a"} ${operation} is in progress here`, {
      hint: `end it first: ${endings[operation]}`,
    });
  if (await hasAutostash(context.git, context.repository))
    throw new FerryError(
      "attention",
      "git has put local work aside for a merge, and puts it back when that is over: ferry pull, then",
    );
  await refuseCheckedOut(context, head);
}

/** All that are open, but in post-merge the merge itself, which is made by then. */
async function operationsInTheWay({ git, repository, request }: Context): Promise<readonly Operation[]> {
  const open = await openOperations(git, repository);
  const isOver = request.hook === "post-merge" && open.includes("merge") && (await isMergeMade(git, repository));
  return isOver ? open.filter((operation) => operation !== "merge") : open;
}

/** @throws FerryError attention for a branch that is checked out in another working copy */
export async function refuseCheckedOut({ git, repository }: Context, head: Head): Promise<void> {
  if (head.state === "detached") return;
  const elsewhere = await worktreeWith(head.ref, { git, repository, except: repository.workTree });
  if (elsewhere !== undefined)
    throw new FerryError("attention", `${head.ref.replace(/^refs\/heads\//u, "")} ${elsewhere.how} ${oneLine(elsewhere.path)}`, {
      hint:
        elsewhere.how === "is checked out in" ? "pull there, or switch this one to another branch" : "end that first, then pull",
    });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
