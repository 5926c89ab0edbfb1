import { FerryError } from "../../base/errors.ts";
import { type Change, readChanges } from "../../git/records.ts";
import type { PullContext } from "../context.ts";
import { Unsuited, type Workshop } from "../engine/engine.ts";
import { enginesFor } from "../engine/engines.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { type Court, courtOf } from "../judge/court.ts";
import { judge } from "../judge/judge.ts";
import type { Quarantine } from "../quarantine.ts";
import { fetchPromised } from "../sources/promised.ts";
import { reshape } from "../shape/reshape.ts";
import { asInSandbox, type Shaped } from "../shape/shaped.ts";
import type { Verdict } from "../verdict.ts";
import { asItIs, makeVerdict, place, type Placed } from "./place.ts";
import { refuseRewrite } from "./rewrite.ts";

/** A series as it would land. */
export interface Assembled {
  readonly placed: Placed;
  /** The tree or commit that the branch has now. */
  readonly from: string;
  /** From that to the tip. */
  readonly changes: readonly Change[];
  readonly verdict: Verdict;
  readonly court: Court;
}

/**
 * Builds a series in the quarantine, puts it on the branch there, and judges it. Nothing of the user's is written.
 * @throws PullRefused where a commit conflicts, FerryError failure for what doesn't hold or is refused by policy
 */
export async function assemble(unbuilt: Incoming, quarantine: Quarantine, context: PullContext): Promise<Assembled> {
  const { git, host, checkpoint } = context;
  const isNew = unbuilt.series.items.length > 0;
  if (isNew) await fetchNeeded(unbuilt, quarantine, context);
  const incoming = isNew ? await build(unbuilt, quarantine, context) : unbuilt;
  host.interrupt.throwIfAborted();
  if (isNew) await refuseRewrite(incoming, quarantine, context);
  const shaped = isNew ? await reshape(incoming, quarantine, context) : asInSandbox(incoming.series);
  if (shaped.tip === "" && isNew) throw nothingLeft();
  const placed = isNew ? await place(incoming, shaped, quarantine, context) : asItIs(incoming);
  const court = courtOf(context, { quarantine, allowSymlinks: context.request.allowSymlinks });
  const notices = await judgeAll(incoming, { shaped, placed }, court);
  await checkpoint("judged");
  const from = await startOf(incoming, court);
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, placed.tip];
  // A branch without a commit stays so where none comes.
  const changes = placed.tip === "" ? [] : readChanges(await git.ok(args, quarantine.options));
  return { placed, from, changes, verdict: makeVerdict(incoming, placed, { changes, notices }), court };
}

/** Where the clone is a partial one. */
async function fetchNeeded({ series, head, fit }: Incoming, quarantine: Quarantine, context: PullContext): Promise<void> {
  const onto = fit === "moved" && head.state !== "unborn" ? head.commit : undefined;
  const commits = [series.base, onto].filter((commit) => commit !== undefined);
  await fetchPromised({ commits, paths: new Set(series.items.flatMap(({ paths }) => paths)) }, quarantine, context);
}

/** From the service's patches, by the first engine that can; what another source has is in the quarantine already. */
async function build(incoming: Incoming, quarantine: Quarantine, context: PullContext): Promise<Incoming> {
  const { series, found } = incoming;
  const { patches } = found;
  if (patches === undefined) return incoming;
  const { request, git, host, checkpoint } = context;
  const total = series.items.length;
  const engines = enginesFor(series, context.engines);
  for (const [at, engine] of engines.entries()) {
    const bytes = () => patches[engine.form](series.base ?? "", series.tip);
    const progress: Workshop["progress"] = (stage, done) => request.progress?.({ stage, done, total });
    try {
      await engine.build(series, { git, quarantine, bytes, signal: host.interrupt, checkpoint, progress });
      return { ...incoming, found: { ...found, engine: engine.name } };
    } catch (error) {
      if (!(error instanceof Unsuited)) throw error;
      const next = engines[at + 1]?.name;
      if (next === undefined) throw new FerryError("failure", `the series can't be read: ${error.message}`, { cause: error });
      request.detail?.(`the engine ${engine.name} makes nothing of ${error.message}; now ${next}`);
    }
  }
  throw new FerryError("failure", series.unmailable ?? "no way to bring this series is known");
}

/**
 * The sandbox's own commits stay in the repository, and rebuilt ones have trees that it never saw: both are judged. Where the user
 * leaves something out, it is what is left that counts, so that they can leave out what would be refused.
 */
export async function judgeAll(
  { series, head }: Incoming,
  { shaped, placed }: { readonly shaped: Shaped; readonly placed: Placed },
  court: Court,
): Promise<readonly string[]> {
  const { base, items } = series;
  const own = { base, tip: series.tip, commits: items.map((item) => item.commit) };
  const madeOf = (commits: readonly string[]) => new Map(items.map(({ commit }, at) => [commits[at] ?? commit, commit]));
  const left = shaped.items.map(({ commit }) => commit);
  const commits = [...new Set(left)].filter((commit) => commit !== base);
  const filtered = { base, tip: shaped.tip, commits, madeOf: madeOf(left) };
  const notices = await judge(shaped.exactness === "approximate" ? filtered : own, court);
  if (placed.tip === shaped.tip || head.state === "unborn") return notices;
  const rebuilt = [...new Set(placed.commits)].filter((commit) => commit !== head.commit);
  return judge({ base: head.commit, tip: placed.tip, commits: rebuilt, madeOf: madeOf(placed.commits) }, court);
}

async function startOf({ head, isAside, series }: Incoming, { git, quarantine }: Court): Promise<string> {
  const before = head.state !== "unborn" ? head.commit : isAside ? series.base : undefined;
  if (before !== undefined) return before;
  const tree = ["hash-object", "-t", "tree", "--stdin"];
  return (await git.ok(tree, { ...quarantine.options, input: "" })).toString("latin1").trim();
}

/** A branch can't begin with nothing. */
function nothingLeft(): FerryError {
  return new FerryError(
    "attention",
    "this branch can't begin with the session's commits: nothing is in them but what is left out",
    {
      hint: "leave out less",
    },
  );
}
