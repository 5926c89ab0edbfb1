import type { Stop } from "../conflict/found.ts";
import type { Came, Context, PullContext } from "../context.ts";
import { cursorBefore } from "../incoming/gone-back.ts";
import { readRefs } from "../incoming/refs.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef } from "../land/transaction.ts";
import { stoppedAt } from "../place/place.ts";
import { fromBefore, readUndoNote, writeUndoNote } from "../undo-note.ts";
import { PullRefused, type Verdict } from "../verdict.ts";
import { CameAfterAll } from "./after-all.ts";
import { cameBefore } from "./told.ts";

/** Notes that HEAD is by now where git itself committed, so that all of it can be taken back. */
export async function noteCame(stop: Stop, notices: readonly string[], context: PullContext): Promise<CameAfterAll> {
  const { incoming, error } = stop;
  const { git, repository } = context;
  const { head, refs, series } = incoming;
  const { gitDir } = repository;
  const tip = (await git.ok(["rev-parse", "--verify", "HEAD"], { cwd: gitDir, gitDir })).toString("latin1").trim();
  const old = head.state === "unborn" ? undefined : head.commit;
  const at = await readRefs(git, repository, refs);
  // Where something fitted before it, that has a note by now, of all that came until then.
  const before = error.conflict.tip === old || at.undo === undefined ? undefined : await readUndoNote(at.undo, context);
  const undo =
    before === undefined
      ? fromBefore({ old, new: tip, cursor: await cursorBefore(incoming, context) }, context.came?.undo)
      : { old: before.old, new: tip, cursor: before.cursor, own: before.own };
  const note = await writeUndoNote(undo, context);
  await moveRefs({ updates: [moveRef(refs.undo, at.undo, note)], reason: "ferry pull: a conflict that git resolved" }, context);
  const [item] = series.items.slice(error.conflict.commits.length);
  const { sequence = 0, subject = "" } = item ?? {};
  const last = { sequence, commit: stoppedAt(incoming, error.conflict).commit, subject, applied_as: tip };
  const verdict = {
    ...error.verdict,
    applied: true,
    tip,
    commits: [...cameBefore(stop), last],
    conflicts: [],
    notices: [...error.verdict.notices, ...notices],
  };
  return new CameAfterAll({ verdict: await joined(context.came, verdict, context), undo });
}

/** The verdict of all that came, the rest last. */
export async function joined(came: Came | undefined, rest: Verdict, context: Context): Promise<Verdict> {
  if (came === undefined) return { ...rest, files: await filesBetween(rest.base, rest.tip, context) };
  const { verdict: first } = came;
  const commits = [...first.commits, ...rest.commits];
  const notices = [...first.notices, ...rest.notices];
  // What was refused is here in no way.
  const tip = rest.applied ? rest.tip : first.tip;
  const files = rest.applied ? await filesBetween(first.base, tip, context) : first.files;
  return { ...rest, ...told(first), applied: true, base: first.base, tip, commits, notices, files };
}

/** The same of an error. */
export async function joinedError(came: Came, error: unknown, context: Context): Promise<unknown> {
  if (!(error instanceof PullRefused)) return error;
  const { kind, message, code, hint, details } = error;
  const rest = error.verdict.applied ? error.verdict : { ...error.verdict, commits: [] };
  const verdict = await joined(came, rest, context);
  return new PullRefused(kind, message, { code, hint, details, cause: error, verdict });
}

function told({ engine, source, from, exactness }: Verdict): Pick<Verdict, "engine" | "source" | "from" | "exactness"> {
  return { engine, source, from, exactness };
}

async function filesBetween(base: string, tip: string, { git, repository: { gitDir } }: Context): Promise<number> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", base, tip];
  return (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\0").length - 1;
}
