import { FerryError } from "../../base/errors.ts";
import type { ObjectFormat } from "../../git/discover.ts";
import { systemTrouble } from "../../git/trouble.ts";
import type { Uncommitted } from "../../wire/patches.ts";
import type { PullContext } from "../context.ts";
import { RefsMoved } from "../land/transaction.ts";
import { caps, short } from "../series/series.ts";
import { emptyTree, inIndex, treeOf, type Trees } from "./trees.ts";

/** The sandbox's work that isn't committed, built in the quarantine. */
export interface Received {
  /** The sandbox's newest commit; undefined where it has none. */
  readonly commit: string | undefined;
  readonly commitTree: string;
  /** The sandbox's whole tree. */
  readonly tree: string;
  readonly asOf: string;
}

/**
 * Asks for what isn't committed, applies it to the session's newest commit, and compares the tree with the one that was told: the
 * same tree is the same content, whatever way it came.
 * @throws FerryError failure where it isn't what it says, RefsMoved where it is of another commit than the series' last, and both are asked again
 */
export async function receive(tip: string, trees: Trees, { request, repository }: PullContext): Promise<Received> {
  const { uncommitted } = request.offers;
  if (uncommitted === undefined)
    throw new FerryError("failure", "the service doesn't tell what isn't committed in the sandbox", {
      hint: "pull without --uncommitted",
    });
  const answer = await uncommitted();
  checkAnswer(answer, repository.objectFormat);
  if (answer.base_commit !== tip)
    throw new RefsMoved("attention", `the session went on to ${short(answer.base_commit)} meanwhile`);
  const commit = tip === "" ? undefined : tip;
  await requireCommit(commit, trees);
  const commitTree = commit === undefined ? await emptyTree(trees) : await treeOf(commit, trees);
  const patch = Buffer.from(answer.patch, "base64");
  const tree = patch.length === 0 ? commitTree : await inIndex(commitTree, trees, (options) => apply(patch, options, trees));
  if (tree !== answer.tree) throw untrue("its patch makes another tree");
  return { commit, commitTree, tree, asOf: answer.as_of };
}

function checkAnswer({ base_commit, tree, patch }: Uncommitted, format: ObjectFormat): void {
  const id = format === "sha1" ? /^[0-9a-f]{40}$/u : /^[0-9a-f]{64}$/u;
  if (!id.test(tree) || (base_commit !== "" && !id.test(base_commit))) throw untrue("an id that isn't one");
  if (patch.length > 2 * caps.uncommittedBytes) throw untrue("more bytes than it may have");
  if (patch.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/u.test(patch)) throw untrue("its patch isn't base64");
}

async function requireCommit(commit: string | undefined, { git, quarantine }: Trees): Promise<void> {
  if (commit === undefined) return;
  if ((await git.run(["cat-file", "-e", `${commit}^{commit}`], quarantine.options)).code === 0) return;
  throw new FerryError("attention", `what isn't committed follows ${short(commit)}, which isn't here`, {
    code: "unrelated",
    hint: "fetch that commit, or pull in a clone that has it",
  });
}

/** git-apply(1): `--cached` touches no file, and each path is judged by git's own rules on the way into the index. */
async function apply(patch: Buffer, options: Trees["quarantine"]["options"], { git }: Trees): Promise<void> {
  const declared = [...patch.toString("latin1").matchAll(/^(?:literal|delta) (\d+)$/gmu)];
  if (declared.some(([, size]) => Number(size) > caps.fileBytes)) throw untrue("a file of more bytes than it may have");
  const args = ["apply", "--cached", "--binary", "--whitespace=nowarn", "-"];
  const config = { "apply.ignoreWhitespace": "no" };
  const result = await git.run(args, { ...options, config, input: patch });
  if (result.code !== 0) throw systemTrouble(args, result) ?? untrue("its patch doesn't apply to the session's newest commit");
}

function untrue(what: string): FerryError {
  return new FerryError("failure", `what isn't committed in the sandbox doesn't hold what it says: ${what}`, {
    code: "lie",
    hint: "nothing was changed; the service, or something on the way to it, is at fault",
  });
}
