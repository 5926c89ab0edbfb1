import { FerryError } from "../../base/errors.ts";
import { ObjectReader } from "../../git/objects.ts";
import type { Context } from "../context.ts";
import type { Pickable } from "../place/rebuild.ts";
import { caps, short } from "../series/series.ts";
import { subjectOf } from "../series/subject.ts";

/** Commits of the repository, as rebuilding takes them. @throws FerryError attention for a merge, or one that is gone */
export async function readItems(commits: readonly string[], { git, repository }: Context): Promise<Pickable[]> {
  const { gitDir } = repository;
  const reader = await ObjectReader.open(git, { cwd: gitDir, gitDir });
  const items: Pickable[] = [];
  for (const commit of commits) {
    const raw = (await reader.read(commit, caps.commitBytes))?.content;
    if (raw === undefined) throw new FerryError("attention", `commit ${short(commit)} of the parked pull is gone`, giveUp);
    items.push(readItem(commit, raw));
  }
  await reader.close();
  return items;
}

const giveUp = { hint: "ferry pull --abort, then pull again" };

function readItem(commit: string, raw: Buffer): Pickable {
  const text = raw.toString("latin1");
  const end = text.indexOf("\n\n");
  const header = text.slice(0, end).split("\n");
  const all = (name: string) => header.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const parents = all("parent");
  if (parents.length !== 1)
    throw new FerryError(
      "attention",
      `commit ${short(commit)} is a merge, and the branch has moved on: it can't be taken there`,
      {
        hint: "make it one line in the worktree (git rebase), then ferry pull --continue",
      },
    );
  return { commit, parents, tree: all("tree")[0] ?? "", raw, subject: subjectOf(raw) };
}
