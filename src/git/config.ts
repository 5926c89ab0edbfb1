import type { Git } from "./git.ts";
import { gitError } from "./runner.ts";

/** Which session a branch belongs to, as it stands in the repository's configuration. Written by hand too, so untrusted. */
export interface BranchLink {
  readonly session: string;
  /** The host's address; undefined where only the session was written. */
  readonly host: string | undefined;
}

/** `branch` is the short name (`main`). Undefined where the branch has no session. */
export async function readBranchLink(git: Git, cwd: string, branch: string): Promise<BranchLink | undefined> {
  const args = ["config", "--null", "--get-regexp", "^branch\\..*\\.ferry(session|host)$"];
  const result = await git.run(args, { cwd });
  if (result.code > 1) throw gitError(args, result);
  // A name, a line break and a value each; git writes section and variable small, and takes the last of several.
  const values = new Map(
    result.stdout
      .toString("utf8")
      .split("\0")
      .map((each): [string, string | undefined] => splitOnce(each)),
  );
  const session = values.get(`branch.${branch}.ferrysession`);
  return session === undefined || session === "" ? undefined : { session, host: values.get(`branch.${branch}.ferryhost`) };
}

/** A value-less variable has no line break, and counts as set: git-config(1). */
function splitOnce(entry: string): [string, string] {
  const at = entry.indexOf("\n");
  return at < 0 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
}

/** Links a branch to a session; takes the place of an earlier link. */
export async function writeBranchLink(git: Git, cwd: string, branch: string, link: BranchLink): Promise<void> {
  await setConfig(git, cwd, `branch.${branch}.ferrySession`, link.session);
  if (link.host === undefined) await unsetConfig(git, cwd, `branch.${branch}.ferryHost`);
  else await setConfig(git, cwd, `branch.${branch}.ferryHost`, link.host);
}

/** Takes the link away; none there is fine. */
export async function removeBranchLink(git: Git, cwd: string, branch: string): Promise<void> {
  await unsetConfig(git, cwd, `branch.${branch}.ferrySession`);
  await unsetConfig(git, cwd, `branch.${branch}.ferryHost`);
}

/** The value that counts (git takes the last), undefined where there is none. */
export async function getConfig(git: Git, cwd: string, name: string): Promise<string | undefined> {
  const args = ["config", "--null", "--get", name];
  const result = await git.run(args, { cwd });
  if (result.code > 1) throw gitError(args, result);
  return result.code === 0 ? result.stdout.toString("utf8").replace(/\0$/u, "") : undefined;
}

/** Writes one value into the repository's own configuration, in place of all that were there. */
export async function setConfig(git: Git, cwd: string, name: string, value: string): Promise<void> {
  await git.ok(["config", "--local", "--replace-all", name, value], { cwd });
}

/** Takes all values away. git-config(1): exit 5 is "no such name", which is what was wanted. */
export async function unsetConfig(git: Git, cwd: string, name: string): Promise<void> {
  const args = ["config", "--local", "--unset-all", name];
  const result = await git.run(args, { cwd });
  if (result.code !== 0 && result.code !== 5) throw gitError(args, result);
}
