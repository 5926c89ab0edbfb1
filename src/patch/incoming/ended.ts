import { FerryError } from "../../base/errors.ts";
import type { Context, PullContext } from "../context.ts";
import { moveRefs } from "../land/move-refs.ts";
import { moveRef, type RefUpdate } from "../land/transaction.ts";
import type { Memory } from "./refs.ts";

/** How long a session is remembered after its end, in days. */
const kept = 90;
const day = 86_400_000;

/** What marks the session as over since today, or takes the mark away. `commit` is what the mark points at. */
export function endedUpdates({ own, ended }: Memory, commit: string, { request, host }: PullContext): RefUpdate[] {
  const marks = [...ended].filter(([name]) => name.startsWith(`${own}/`));
  const isFresh = marks.some(([name]) => !isStale(name, host.clock.now()));
  if (request.isOver === undefined || (request.isOver && isFresh)) return [];
  const gone = marks.map(([name, id]) => moveRef(name, id, undefined));
  if (!request.isOver || commit === "") return gone;
  return [...gone, moveRef(`${own}/ended/${new Date(host.clock.now()).toISOString().slice(0, 10)}`, undefined, commit)];
}

/** Forgets other sessions that have been over for so long. */
export async function forgetOld({ own, ended }: Memory, context: Context): Promise<void> {
  const { git, repository, host, request } = context;
  if (request.dryRun === true) return;
  const stale = [...ended.keys()].filter((name) => !name.startsWith(`${own}/`) && isStale(name, host.clock.now()));
  if (stale.length === 0) return;
  const { gitDir } = repository;
  const keys = new Set(stale.map((name) => name.replace(/\/ended\/.*$/u, "")));
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", ...keys];
  const refs = (await git.ok(args, { cwd: gitDir, gitDir })).toString("latin1").split("\n").filter(Boolean);
  const updates = refs.map((line) => moveRef(line.split(" ")[0] ?? "", line.split(" ")[1], undefined));
  try {
    await moveRefs({ updates, reason: "ferry pull: over for long" }, context);
  } catch (error) {
    // Someone else works on them: the next pull does it.
    if (!(error instanceof FerryError)) throw error;
  }
}

function isStale(name: string, now: number): boolean {
  return now - Date.parse(name.slice(name.lastIndexOf("/") + 1)) > kept * day;
}
