import { stat } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { type GitPath, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { short } from "../series/series.ts";
import { collisionsOf } from "./collisions.ts";
import type { Court } from "./court.ts";
import { commitChanges } from "./history.ts";
import { LinkJudge } from "./link-judge.ts";
import { outOfRepository } from "./links.ts";
import { badPath } from "./names.ts";
import { listed, noticesOf } from "./notices.ts";

/** A stretch of history: each of these commits follows the one before, the first one the base. */
export interface History {
  readonly base: string | undefined;
  readonly tip: string;
  readonly commits: readonly string[];
  /** The sandbox's commits that these were made of, which a refusal names. */
  readonly madeOf?: ReadonlyMap<string, string>;
  /** What a refusal calls it, where it is no commit of the session's. */
  readonly name?: string;
}

/**
 * Judges what a series does: the result and not the text, and every commit and not only the last, since each will be in the
 * history and can be checked out.
 * Gives what a person should know, a line each.
 * @throws FerryError failure that names the commit and the path
 */
export async function judge(history: History, court: Court): Promise<string[]> {
  const { git, quarantine, platform } = court;
  const links = new LinkJudge(history.base, court);
  const added = new Set<GitPath>();
  const all: Change[] = [];
  const called = (commit: string) => history.name ?? `commit ${short(history.madeOf?.get(commit) ?? commit)}`;
  for await (const { commit, changes } of commitChanges(git, { quarantine, commits: history.commits })) {
    for (const change of changes) {
      all.push(change);
      if (change.newMode === modes.absent) continue;
      const reason = badPath(change.path, platform) ?? badMode(change);
      if (reason !== undefined) throw refusal(called(commit), change.path, reason);
      if (change.oldMode === modes.absent) added.add(change.path);
    }
    const wrong = await links.judge({ commit, changes });
    if (wrong !== undefined) throw refusal(called(commit), wrong.path, wrong.reason);
  }
  const collisions = await collisionsOf(history.tip, added, court);
  if (collisions.length > 0 && (await foldsNames(court))) throw collisionRefusal(collisions);
  const outside = links.passed().map(({ path, place }) => `${showPath(path)} to ${showPath(place)}`);
  const left = outside.length === 0 ? [] : [`links that leave the repository: ${listed(outside)}`];
  return [...noticesOf(all), ...left, ...collisions.map((pair) => `only case or Unicode form tells these apart: ${pair}`)];
}

function badMode(change: Change): string | undefined {
  return Object.values<string>(modes).includes(change.newMode)
    ? undefined
    : `has the mode ${change.newMode}, which git doesn't make`;
}

/**
 * What the file systems of these two do unless someone chose otherwise. Elsewhere (a network drive, a Windows drive in WSL) it is asked as
 * git-init(1) does: whether what is there has another case's name, too.
 */
async function foldsNames({ platform, workTree }: Court): Promise<boolean> {
  if (platform === "darwin" || platform === "win32") return true;
  const [own, other] = await Promise.all([".git", ".GIT"].map((name) => stat(join(workTree, name)).catch(() => undefined)));
  return own !== undefined && own.ino === other?.ino && own.dev === other.dev;
}

function refusal(name: string, path: GitPath, reason: string): FerryError {
  const isCommit = name.startsWith("commit ");
  const waiver = reason === outOfRepository ? ", or let it through with ferry pull --allow-symlinks" : "";
  return new FerryError("failure", `${name} is refused: ${showPath(path)} ${reason}`, {
    code: "policy",
    hint: `nothing was changed; ask the agent to take it ${isCommit ? "out of its history" : "away"}${waiver}`,
  });
}

function collisionRefusal(pairs: readonly string[]): FerryError {
  return new FerryError("failure", "the series has names that are one file on this system", { code: "policy", details: pairs });
}
