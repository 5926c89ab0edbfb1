import { createHash } from "node:crypto";
import type { Head, Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import type { Errand } from "../request.ts";
import { type SourceName, sourceNames } from "../source.ts";

/** The refs that remember a session in a repository. */
export interface FerryRefs {
  /** The sandbox's newest commit that was brought here; keeps its objects from gc. */
  readonly remote: string;
  /** The sandbox's commit that came last on this branch (or detached working copy). */
  readonly cursor: string;
  /** What the last pull to this branch moved, as a blob: see undo.ts. */
  readonly undo: string;
  /** The same of the last pull that was taken back, for those who pull unasked: see undone.ts. */
  readonly undone: string;
  /** A pull that stands at a conflict in a worktree of its own, as a blob: see parked/note.ts. */
  readonly parked: string;
  /** The newest commit of that series: keeps its objects from gc. */
  readonly parkedTip: string;
  /** A pull that stands, or stood, at a conflict in the working copy itself, as a blob: see here/note.ts. */
  readonly here: string;
  /** What of the sandbox's uncommitted work came into this working copy: see uncommitted/memory.ts. */
  readonly uncommitted: string;
}

/** The four together, since the same session id may exist on another host, and a session may have several repositories. */
export function ferryRefs(request: Errand, repository: Repository, head: Head): FerryRefs {
  const place = head.state === "detached" ? `worktree\0${repository.gitDir}` : head.ref;
  const [own, branch] = [sessionRefs(request), digest(place)];
  return {
    remote: `${own}/remote`,
    cursor: `${own}/applied/${branch}`,
    undo: `${own}/undo/${branch}`,
    undone: `${own}/undone/${branch}`,
    parked: `${own}/parked/${branch}`,
    parkedTip: `${own}/parked-tip/${branch}`,
    here: `${own}/here/${branch}`,
    // It lies in the working copy, whatever branch that is on.
    uncommitted: `${own}/uncommitted/${digest(`worktree\0${repository.gitDir}`)}`,
  };
}

/** What all refs of a session begin with. */
export function sessionRefs({ origin, workspace, session, repositoryId }: Errand): string {
  return `refs/ferry/${digest([origin, workspace, session, repositoryId].join("\0"))}`;
}

/** Where these refs are; those that don't exist are left out. */
export async function readRefs(git: Git, repository: Repository, refs: FerryRefs): Promise<Partial<FerryRefs>> {
  return memoryOf((await listRefs(git, repository, ownOf(refs))).refs, refs).at;
}

/** All that a repository remembers of a session, read at once. */
export interface Memory {
  readonly at: Partial<FerryRefs>;
  /** The cursor is no commit but a note (note.ts). */
  readonly isNote: boolean;
  /** Where its commits came from until now; undefined where none came yet. */
  readonly pinned: SourceName | undefined;
  /** No branch has any of it: nothing came yet, or all of it was undone. */
  readonly isFirst: boolean;
  /** What all refs of the session begin with. */
  readonly own: string;
  /** Marks of its source, and of any session that is over: full names and objects of refs whose name is all that they say. */
  readonly marks: ReadonlyMap<string, string>;
  readonly ended: ReadonlyMap<string, string>;
}

/** Refs by their names. */
export type ListedRefs = ReadonlyMap<string, { readonly id: string; readonly type: string }>;

/** What there is in a repository of a session. */
interface Listing {
  readonly refs: ListedRefs;
  /** Undefined unless it points at the branch that was asked for. */
  readonly head: Head | undefined;
}

/**
 * All refs of a session (see sessionRefs), and the marks of those that are over: which of them matter depends on where HEAD is. That
 * is told in the same breath where HEAD points at `branch` (a full name).
 */
export async function listRefs(git: Git, { gitDir }: Repository, own: string, branch?: string): Promise<Listing> {
  const format = "--format=%(HEAD)%(objectname) %(objecttype) %(refname)";
  const args = ["for-each-ref", format, `${own}/`, "refs/ferry/*/ended/*", ...(branch === undefined ? [] : [branch])];
  const refs = new Map<string, { id: string; type: string }>();
  let head: Head | undefined;
  for (const line of (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n").filter(Boolean)) {
    const [id = "", type = "", ...name] = line.slice(1).split(" ");
    const isHead = line.startsWith("*") && type === "commit";
    if (isHead && branch !== undefined) head = { state: "branch", ref: branch, commit: id };
    refs.set(name.join(" "), { id, type });
  }
  return { refs, head };
}

/** A mark is a ref whose name says it, so that no object has to be read: `…/source/branch`, `…/ended/2026-11-28`. */
export function memoryOf(found: ListedRefs, refs: FerryRefs): Memory {
  const names = Object.entries(refs) as [keyof FerryRefs, string][];
  const own = ownOf(refs);
  const at = Object.fromEntries(
    names.flatMap(([name, ref]) => {
      const there = found.get(ref);
      return there === undefined ? [] : [[name, there.id]];
    }),
  ) as Partial<FerryRefs>;
  const named = (prefix: string) =>
    new Map([...found].filter(([name]) => name.startsWith(prefix)).map(([name, { id }]) => [name, id]));
  const marked = sourceNames.find((name) => found.has(`${own}/source/${name}`));
  return {
    at,
    isNote: found.get(refs.cursor)?.type === "blob",
    pinned: marked ?? (at.remote === undefined ? undefined : "patches"),
    isFirst: ![...found.keys()].some((name) => name.startsWith(`${own}/applied/`)),
    own,
    marks: named(`${own}/source/`),
    ended: new Map([...named("refs/ferry/")].filter(([name]) => name.includes("/ended/"))),
  };
}

function ownOf({ remote }: FerryRefs): string {
  return remote.replace(/\/remote$/u, "");
}

function digest(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 20);
}
