import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { PullContext } from "../../context.ts";
import type { CursorNote } from "../../incoming/note.ts";
import { seriesOf } from "../../series/objects.ts";
import type { EventSource } from "../../source.ts";
import { findGround } from "../base.ts";
import type { Found } from "../found.ts";
import { makeCommits, type TurnCommit } from "./commits.ts";
import { finishedTurns, type Turn } from "./turns.ts";

const approximation = "made from the diffs of the timeline: what the agent's commands changed besides isn't in it";

/**
 * Commits made of the timeline, one a turn that is over, after the one that came last. Near to what happened, not the same: what a
 * command changed is in no diff.
 * @throws FerryError failure that names an event which doesn't fit; attention where the timeline isn't the one that it was
 */
export async function findEvents(
  source: EventSource,
  { note, head }: { readonly note: CursorNote | undefined; readonly head: string | undefined },
  context: PullContext,
): Promise<Found> {
  const { turns, held } = finishedTurns(await source.read(), source.repositoryId);
  const found = {
    source: "events",
    engine: "diffs",
    from: "the diffs of its timeline",
    isRewritten: false,
    approximation,
    held,
  } as const;
  const came = note?.event === undefined ? 0 : turns.findIndex((turn) => lastOf(turn) === note.event) + 1;
  if (note?.event !== undefined && came === 0) throw otherTimeline(note.event);
  if (came === turns.length) {
    const tip = note?.commit ?? head ?? "";
    return { ...found, series: { base: tip, tip, items: [], unmailable: undefined } };
  }
  const { base, commits } = await played(turns, { source, note, head }, context);
  const before = commits.slice(0, came).findLast(({ commit }) => commit !== undefined)?.commit ?? base;
  if (note?.event !== undefined && before !== note.commit) throw otherTimeline(note.event);
  const tip = commits.findLast(({ commit }) => commit !== undefined)?.commit ?? base ?? "";
  const series = await seriesOf({ base: before, tip }, context.git, await context.quarantine());
  return { ...found, series, note: { event: lastOf(turns.at(-1)), commit: tip, base: base ?? "" } };
}

function lastOf(turn: Turn | undefined): string | undefined {
  return turn?.events.at(-1)?.id;
}

interface Known {
  readonly source: EventSource;
  readonly note: CursorNote | undefined;
  readonly head: string | undefined;
}

/** On what they stood on before; else where the service says, else where they fit: on HEAD, or the newest of it that was pushed. */
async function played(
  turns: readonly Turn[],
  known: Known,
  context: PullContext,
): Promise<{ base: string | undefined; commits: TurnCommit[] }> {
  const workplace = { context, quarantine: await context.quarantine(), agent: known.source.agent };
  let misfit: FerryError | undefined;
  for (const base of await basesOf(known, context)) {
    try {
      return { base, commits: await makeCommits(turns, base, workplace) };
    } catch (error) {
      if (!(error instanceof FerryError && error.code === "unfit_event")) throw error;
      misfit ??= error;
    }
  }
  throw misfit ?? new FerryError("attention", "the commit that the session began at can't be had here", { code: "unrelated" });
}

async function basesOf({ source, note, head }: Known, context: PullContext): Promise<(string | undefined)[]> {
  const told = note?.base ?? source.base;
  if (told !== undefined && (told === "" || /^([0-9a-f]{40}|[0-9a-f]{64})$/u.test(told))) {
    if (told === "") return [undefined];
    return (await findGround(told, context)).at === undefined ? [] : [told];
  }
  if (head === undefined) return [undefined];
  const { git, repository } = context;
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const own = await git.run(["rev-list", "--topo-order", head, "--not", "--remotes"], options);
  const oldest = own.stdout.toString("latin1").split("\n").findLast(Boolean);
  const pushed = oldest === undefined ? undefined : await parentOf(oldest, context);
  return [...new Set([head, pushed])].filter((each) => each !== undefined);
}

async function parentOf(commit: string, { git, repository }: PullContext): Promise<string | undefined> {
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir };
  const { code, stdout } = await git.run(["rev-parse", "--verify", "--quiet", `${commit}^`], options);
  return code === 0 ? stdout.toString("latin1").trim() : undefined;
}

function otherTimeline(event: string): FerryError {
  return new FerryError("attention", `the timeline is another than the one that came here up to event ${oneLine(event)}`, {
    code: "history_rewritten",
    hint: "bring it to a branch of its own (--branch NAME), and merge that",
  });
}
