import { FerryError } from "../base/errors.ts";
import type { Clock } from "../host/host.ts";
import type { Git, GitResult } from "./git.ts";
import { lockedError, lockPatience, lockPause } from "./locked.ts";
import { gitError } from "./runner.ts";

/** Which session a branch belongs to, as it stands in the repository's configuration. Written by hand too, so untrusted. */
export interface BranchLink {
  readonly session: string;
  /** The host's address; undefined where only the session was written. */
  readonly host: string | undefined;
}

/** The links of branches, by the branches' short names (`main`). @throws FerryError failure for a configuration that git can't read */
export async function readBranchLinks(git: Git, cwd: string): Promise<(branch: string) => BranchLink | undefined> {
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
  return (branch) => {
    const session = values.get(`branch.${branch}.ferrysession`);
    return session === undefined || session === "" ? undefined : { session, host: values.get(`branch.${branch}.ferryhost`) };
  };
}

/** A value-less variable has no line break, and counts as set: git-config(1). */
function splitOnce(entry: string): [string, string] {
  const at = entry.indexOf("\n");
  return at < 0 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
}

/** A repository whose own configuration is written. */
export interface ConfigPlace {
  readonly git: Git;
  readonly cwd: string;
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
}

/** Links a branch to a session; takes the place of an earlier link. @throws FerryError as setConfig does */
export async function writeBranchLink(place: ConfigPlace, branch: string, link: BranchLink): Promise<void> {
  await setConfig(place, `branch.${branch}.ferrySession`, link.session);
  if (link.host === undefined) await unsetConfig(place, `branch.${branch}.ferryHost`);
  else await setConfig(place, `branch.${branch}.ferryHost`, link.host);
}

/** Takes the link away; none there is fine. @throws FerryError as setConfig does */
export async function removeBranchLink(place: ConfigPlace, branch: string): Promise<void> {
  await unsetConfig(place, `branch.${branch}.ferrySession`);
  await unsetConfig(place, `branch.${branch}.ferryHost`);
}

/** The value that counts (git takes the last), undefined where there is none. */
export async function getConfig(git: Git, cwd: string, name: string): Promise<string | undefined> {
  const args = ["config", "--null", "--get", name];
  const result = await git.run(args, { cwd });
  if (result.code > 1) throw gitError(args, result);
  return result.code === 0 ? result.stdout.toString("utf8").replace(/\0$/u, "") : undefined;
}

/**
 * A boolean as git reads one: yes, on, true and 1 in any case, and a name without a value. False where there is none.
 * @throws FerryError usage for a value that is none
 */
export async function getBoolean(git: Git, cwd: string, name: string): Promise<boolean> {
  const result = await git.run(["config", "--type=bool", "--get", name], { cwd });
  if (/^fatal: bad (boolean|numeric) config value/mu.test(result.stderr.toString("utf8")))
    throw new FerryError("usage", `${name} in the git configuration is neither true nor false`, {
      hint: `git config ${name} true, or git config --unset ${name}`,
    });
  if (result.code > 1) throw gitError(["config", "--get", name], result);
  return result.stdout.toString("utf8").trim() === "true";
}

/**
 * Writes one value into the repository's own configuration, in place of all that were there.
 * @throws FerryError attention where another git keeps it locked
 */
export async function setConfig(place: ConfigPlace, name: string, value: string): Promise<void> {
  const args = ["config", "--local", "--replace-all", name, value];
  const result = await writeConfig(place, args);
  if (result.code !== 0) throw gitError(args, result);
}

/** Takes all values away. git-config(1): exit 5 is "no such name", which is what was wanted. @throws FerryError as setConfig does */
export async function unsetConfig(place: ConfigPlace, name: string): Promise<void> {
  const args = ["config", "--local", "--unset-all", name];
  const result = await writeConfig(place, args);
  if (result.code !== 0 && result.code !== 5) throw gitError(args, result);
}

/** Git itself doesn't wait for `config.lock`, and most who hold it are done at once. */
async function writeConfig({ git, cwd, clock }: ConfigPlace, args: readonly string[]): Promise<GitResult> {
  const deadline = clock.elapsed() + lockPatience;
  for (;;) {
    const result = await git.run(args, { cwd });
    const said = /could not lock config file (.*): File exists/u.exec(result.stderr.toString("utf8"));
    if (result.code === 0 || said === null) return result;
    if (clock.elapsed() >= deadline) throw lockedError(`${said[1] ?? "config"}.lock exists`);
    await clock.sleep(lockPause);
  }
}
