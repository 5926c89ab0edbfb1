import { createHash } from "node:crypto";
import type { Head, Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import type { Errand } from "../request.ts";

/** The refs that remember a session in a repository. */
export interface FerryRefs {
  /** The sandbox's newest commit that was brought here; keeps its objects from gc. */
  readonly remote: string;
  /** The sandbox's commit that came last on this branch (or detached working copy). */
  readonly cursor: string;
  /** What the last pull to this branch moved, as a blob: see undo.ts. */
  readonly undo: string;
}

/** The four together, since the same session id may exist on another host, and a session may have several repositories. */
export function ferryRefs(request: Errand, repository: Repository, head: Head): FerryRefs {
  const { origin, workspace, session, repositoryId } = request;
  const key = digest([origin, workspace, session, repositoryId].join("\0"));
  const place = head.state === "detached" ? `worktree\0${repository.gitDir}` : head.ref;
  const [own, branch] = [`refs/ferry/${key}`, digest(place)];
  return { remote: `${own}/remote`, cursor: `${own}/applied/${branch}`, undo: `${own}/undo/${branch}` };
}

/** Where these refs are; those that don't exist are left out. */
export async function readRefs(git: Git, { gitDir }: Repository, refs: FerryRefs): Promise<Partial<FerryRefs>> {
  const names = Object.entries(refs) as [keyof FerryRefs, string][];
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", ...names.map(([, ref]) => ref)];
  const lines = (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n");
  const found = new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
  return Object.fromEntries(names.flatMap(([name, ref]) => (found.has(ref) ? [[name, found.get(ref)]] : [])));
}

function digest(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 20);
}
