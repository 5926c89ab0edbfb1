import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import { shellWord } from "../../base/words.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";

const heads = "refs/heads/";

/** git-check-ref-format(1); `HEAD` and `@` would be the current commit wherever git reads them. @throws FerryError usage */
export async function requireBranchName(git: Git, { gitDir }: Repository, branch: string): Promise<void> {
  const valid = await git.run(["check-ref-format", `${heads}${branch}`], { cwd: gitDir, gitDir });
  if (valid.code !== 0 || branch.startsWith("-") || branch === "HEAD" || branch === "@") throw noName(branch);
}

/** The full name of the branch that a name stands for. @throws FerryError attention where that is none */
export async function resolveBranch(git: Git, { gitDir }: Repository, branch: string): Promise<string> {
  const ref = `${heads}${branch}`;
  // Through all steps, and also where the last one doesn't exist.
  const symbolic = await git.run(["symbolic-ref", "--quiet", ref], { cwd: gitDir, gitDir });
  if (symbolic.code !== 0) return ref;
  const means = symbolic.stdout.toString("utf8").trim();
  if (means.startsWith(heads)) return means;
  throw new FerryError("attention", `${oneLine(branch)} stands for ${oneLine(means)}, which is no branch`, {
    hint: "name another one: --branch NAME",
  });
}

/**
 * What can't be a new branch: a name that git reads as something else, and one that is a folder of others' refs or lies below one
 * (gitrepository-layout(5): with refs as files; git keeps to it everywhere).
 * @throws FerryError usage, attention
 */
export async function refuseAsNew(git: Git, { gitDir }: Repository, ref: string): Promise<void> {
  const branch = ref.slice(heads.length);
  if (branch.startsWith("refs/"))
    throw noName(
      branch,
      branch.startsWith(heads) ? `give its short name: --branch ${shellWord(branch.slice(heads.length))}` : undefined,
    );
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/iu.test(branch)) throw noName(branch, "git would read it as a commit's id");
  const parts = branch.split("/");
  const above = parts.slice(1).map((_, at) => heads + parts.slice(0, at + 1).join("/"));
  const args = ["for-each-ref", "--format=%(refname)", `${ref}/`, ...above];
  const listed = (await git.ok(args, { cwd: gitDir, gitDir })).toString("utf8").split("\n");
  const other = listed.find((name) => name.startsWith(`${ref}/`) || above.includes(name));
  if (other === undefined) return;
  throw new FerryError("attention", `a branch ${oneLine(branch)} can't be made beside ${oneLine(other.slice(heads.length))}`, {
    hint: "name another one: --branch NAME",
  });
}

function noName(branch: string, hint?: string): FerryError {
  return new FerryError("usage", `"${oneLine(branch)}" can't be the name of a branch`, { hint });
}

/**
 * Where the file system takes `MAIN` for `main` (core.ignorecase in git-config(1)), a new branch would be that other one, which may
 * be checked out. @throws FerryError attention
 */
export async function refuseOtherCase(git: Git, { gitDir }: Repository, ref: string): Promise<void> {
  const options = { cwd: gitDir, gitDir };
  const asked = await git.run(["config", "--type=bool", "core.ignoreCase"], options);
  if (asked.stdout.toString("latin1").trim() !== "true") return;
  const listed = (await git.ok(["for-each-ref", "--format=%(refname)", heads], options)).toString("utf8").split("\n");
  const folded = (name: string) => name.normalize("NFC").toLowerCase();
  const other = listed.includes(ref) ? undefined : listed.find((name) => folded(name) === folded(ref));
  if (other === undefined) return;
  const name = oneLine(other.slice(heads.length));
  throw new FerryError("attention", `the file system here takes ${oneLine(ref.slice(heads.length))} for the branch ${name}`, {
    hint: `--branch ${name}, or another name`,
  });
}
