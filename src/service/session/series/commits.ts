import type { Git } from "../../../git/git.ts";
import { own } from "../repository/layout.ts";

/** A commit as its object says it. */
export interface CommitObject {
  readonly commit: string;
  readonly parents: string[];
  readonly tree: string;
  /** Base64 of the object's content. */
  readonly raw: string;
  readonly subject: string;
}

/** The first of the commits, as many as are not larger than `limit` bytes together, but one at least. */
export async function fitting(git: Git, gitDir: string, commits: readonly string[], limit: number): Promise<readonly string[]> {
  const input = commits.map((commit) => `${commit}\n`).join("");
  const output = await git.ok(["cat-file", "--batch-check=%(objectsize)"], { ...own(gitDir), input });
  let sum = 0;
  const over = output
    .toString("latin1")
    .split("\n")
    .findIndex((size) => (sum += Number(size)) > limit);
  return over === -1 ? commits : commits.slice(0, Math.max(1, over));
}

/** Reads commits in the order of their ids, all of which must be there. @throws FerryError failure where one isn't */
export async function readCommits(git: Git, gitDir: string, commits: readonly string[]): Promise<CommitObject[]> {
  const output = await git.ok(["cat-file", "--batch"], {
    ...own(gitDir),
    input: commits.map((commit) => `${commit}\n`).join(""),
  });
  let at = 0;
  return commits.map((commit) => {
    const end = output.indexOf("\n", at);
    const size = Number(output.subarray(at, end).toString("latin1").split(" ")[2]);
    const content = output.subarray(end + 1, end + 1 + size);
    at = end + size + 2;
    return parseCommit(commit, content);
  });
}

/** gitformat of a commit: header lines, an empty line, the message. */
function parseCommit(commit: string, content: Buffer): CommitObject {
  const end = content.indexOf("\n\n");
  const header = content
    .subarray(0, end === -1 ? content.length : end)
    .toString("utf8")
    .split("\n");
  const message = end === -1 ? "" : content.subarray(end + 2).toString("utf8");
  const values = (name: string) =>
    header.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    commit,
    parents: values("parent"),
    tree: values("tree")[0] ?? "",
    raw: content.toString("base64"),
    subject: message.trimStart().split("\n", 1)[0] ?? "",
  };
}
