import { oneLine } from "../../base/text.ts";
import { showPath } from "../../git/path.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { CommitWriter } from "../place/commit-writer.ts";
import { committerIdent, wantsSignatures } from "../place/identity.ts";
import { listed } from "../place/listed.ts";
import { asItIs, makeVerdict } from "../place/place.ts";
import { rebuiltContent } from "../place/rebuild.ts";
import type { Quarantine } from "../quarantine.ts";
import { seriesOf } from "../series/objects.ts";
import { type Series, short } from "../series/series.ts";
import { fetchPromised } from "../sources/promised.ts";
import { type HeldCommit, PullRefused } from "../verdict.ts";
import { canGoOntoHead } from "./can.ts";
import { applyOnto, type Misfit, type Step } from "./three-way.ts";

/**
 * A series whose base can't be had, made anew on HEAD in the quarantine: near to the sandbox's commits, with their authors and
 * messages, and told as approximate. What the cursor is to be says which commit of the sandbox's came last, since that isn't here.
 * @throws PullRefused attention where a commit doesn't fit, FerryError attention where git doesn't know who the user is
 */
export async function putOntoHead(incoming: Incoming, context: PullContext): Promise<Incoming> {
  const { head, series, found, present } = incoming;
  const { patches } = found;
  if (!canGoOntoHead(incoming) || head.state === "unborn" || patches === undefined) return incoming;
  const onto = head.commit;
  const { request, git, host, checkpoint } = context;
  const quarantine = await context.quarantine();
  const committer = await committerIdent(context);
  await fetchPromised({ commits: [onto], paths: new Set(series.items.flatMap(({ paths }) => paths)) }, quarantine, context);
  const total = series.items.length;
  const steps = await applyOnto(onto, series, {
    git,
    quarantine,
    bytes: () => patches.mbox(series.base ?? "", series.tip),
    signal: host.interrupt,
    checkpoint,
    progress: (stage, done) => request.progress?.({ stage, done, total }),
  });
  if ("paths" in steps) throw misfitError(steps, incoming);
  const made = await writeSteps(steps, { onto, committer, quarantine }, context);
  await checkpoint("written");
  const tip = steps.map(({ item }) => made.get(item.commit)).at(-1) ?? onto;
  const onHead = await seriesOf({ base: onto, tip }, git, quarantine);
  const unsigned = (await wantsSignatures(context)) ? ["these commits aren't signed, though commit.gpgSign is set"] : [];
  return {
    ...incoming,
    fit: "on-top",
    series: onHead,
    present: present + total - steps.length,
    ground: { at: "here", reasons: [], options: quarantine.options },
    found: {
      ...found,
      patches: undefined,
      engine: "am",
      approximation: `put on HEAD by git am --3way, since ${short(series.base ?? "")}, which they follow, isn't here`,
      note: { sandbox: series.tip, commit: tip },
      told: { commits: tellAll(incoming, made, onto), notices: [...tellMoved(steps, onHead), ...unsigned] },
    },
  };
}

interface Place {
  readonly onto: string;
  readonly committer: string;
  readonly quarantine: Quarantine;
}

/** Author, message and encoding byte for byte; the committer is the user. Gives what each commit of the sandbox's became. */
async function writeSteps(steps: readonly Step[], place: Place, context: PullContext): Promise<ReadonlyMap<string, string>> {
  const { git, host } = context;
  const writer = await CommitWriter.open(git, place.quarantine, host.interrupt);
  const made = new Map<string, string>();
  let parent = place.onto;
  try {
    for (const { item, tree } of steps) {
      parent = await writer.write(rebuiltContent(item, { tree, parents: [parent], committer: place.committer }));
      made.set(item.commit, parent);
    }
  } finally {
    await writer.close();
  }
  return made;
}

/** One whose change was here already is applied as the commit before it. */
function tellAll({ series }: Incoming, made: ReadonlyMap<string, string>, onto: string): HeldCommit[] {
  let last = onto;
  return series.items.map(({ sequence, commit, subject }) => {
    last = made.get(commit) ?? last;
    return { sequence, commit, subject, applied_as: last };
  });
}

/** git takes what looks alike for the same file under another name, also where it is only a copy: a person should see that. */
function tellMoved(steps: readonly Step[], { items }: Series): string[] {
  return steps.flatMap(({ item }, at) => {
    const there = new Set(item.paths);
    const others = (items[at]?.paths ?? []).filter((path) => !there.has(path));
    if (others.length === 0) return [];
    return [
      `commit ${short(item.commit)} changed ${listed(item.paths.map(showPath))} there, and ${listed(others.map(showPath))} here`,
    ];
  });
}

function misfitError({ item, paths }: Misfit, incoming: Incoming): PullRefused {
  const names = paths.map(showPath);
  const base = { ...asItIs(incoming), exactness: "approximate", commits: [] } as const;
  const verdict = makeVerdict(incoming, base, { changes: [], notices: [] });
  return new PullRefused(
    "attention",
    `commit ${short(item.commit)} (${oneLine(item.subject)}) doesn't fit onto HEAD: ${listed(names)}`,
    {
      code: "conflict",
      verdict: { ...verdict, tip: verdict.base, engine: "am", conflicts: names },
      details: names,
      hint: `nothing was changed; fetch ${short(incoming.series.base ?? "")}, which the session's commits follow, or pull in a clone that has it`,
    },
  );
}
