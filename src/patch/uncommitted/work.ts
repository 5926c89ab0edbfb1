import { FerryError } from "../../base/errors.ts";
import { showPath } from "../../git/path.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import { judge } from "../judge/judge.ts";
import type { Assembled } from "../place/assemble.ts";
import type { Quarantine } from "../quarantine.ts";
import { listed } from "../place/listed.ts";
import { keptChanges, placeTaken } from "../shape/exclude.ts";
import { PullRefused, type UncommittedVerdict } from "../verdict.ts";
import { newEntry } from "./held.ts";
import { makeMemory, readMemory } from "./memory.ts";
import { merge } from "./merge.ts";
import { type Journey, planAround, planFor, type Planned } from "./plan.ts";
import { receive, type Received } from "./receive.ts";
import { changesBetween, emptyTree, treeOf, type Trees, treeWith } from "./trees.ts";

/** What a pull makes of files that aren't committed, here or there. */
export interface Work extends Planned {
  readonly journey: Journey;
  /** The tree that the working tree is to hold. */
  readonly tree: string;
  /** The commit that remembers it; undefined where nothing is uncommitted any more. */
  readonly memory: string | undefined;
  /** Where it was asked for. */
  readonly told: Omit<UncommittedVerdict, "written"> | undefined;
  readonly notices: readonly string[];
}

/**
 * Builds and judges in the quarantine what the working tree is to hold beside the commits. Undefined where a pull has nothing to do
 * with that: none is asked for, and none came before that the commits touch.
 * @throws PullRefused where it and the branch both change the same, FerryError failure for what doesn't hold or is refused by policy
 */
export async function workFor(
  incoming: Incoming,
  { assembled, quarantine }: { assembled: Assembled; quarantine: Quarantine },
  context: PullContext,
): Promise<Work | undefined> {
  const { git, repository, request } = context;
  const { at, isAside } = incoming;
  const isAsked = request.uncommitted === true;
  if (isAside || (!isAsked && at.uncommitted === undefined)) return undefined;
  const trees = { git, quarantine };
  const copy = { ...trees, repository, scratch: quarantine.folder };
  const memory = at.uncommitted === undefined ? undefined : await readMemory(at.uncommitted, trees);
  const { from, changes, placed } = assembled;
  const on = placed.tip === "" ? undefined : placed.tip;
  const to = on === undefined ? await emptyTree(trees) : await treeOf(on, trees);
  const journey = { from: await treeOf(from, trees), to, changes, memory };
  if (isAsked) return workAsked(incoming, { assembled, journey, on }, { copy, context });
  const around = await planAround(journey, copy);
  if (around === undefined) return undefined;
  const remembered = await makeMemory({ tree: around.tree, on }, trees);
  return { ...around.planned, journey, tree: around.tree, memory: remembered, told: undefined, notices: [] };
}

interface Setting {
  readonly assembled: Assembled;
  readonly journey: Journey;
  readonly on: string | undefined;
}

async function workAsked(
  { series }: Incoming,
  { assembled, journey, on }: Setting,
  { copy, context }: { copy: Trees & Parameters<typeof planFor>[2]; context: PullContext },
): Promise<Work> {
  const received = await receiveKept(series.tip, copy, context);
  const merged = await merge(received, journey.to, copy);
  if ("paths" in merged) throw conflictError(merged.paths.map(showPath), assembled);
  const memory = await makeMemory({ tree: merged.tree, on }, copy);
  const judged =
    memory === undefined
      ? []
      : await judge({ base: on, tip: memory, commits: [memory], name: "what isn't committed" }, assembled.court);
  const planned = await planFor(merged.tree, journey, copy);
  const files = (await changesBetween(received.commitTree, received.tree, copy)).length;
  const left = planned.left.map(showPath);
  return {
    ...planned,
    journey,
    tree: merged.tree,
    memory,
    told: { tree: received.tree, as_of: received.asOf, files, left },
    notices: [...received.notices, ...merged.notices, ...left.map((path) => `${path} stays as it was edited here`), ...judged],
  };
}

/** What the user leaves out of the commits is left out here, too. */
async function receiveKept(
  tip: string,
  trees: Trees,
  context: PullContext,
): Promise<Received & { readonly notices: readonly string[] }> {
  const received = await receive(tip, trees, context);
  const { exclude = [] } = context.request.shape ?? {};
  if (exclude.length === 0) return { ...received, notices: [] };
  const { kept, left } = await keptChanges([received.commitTree, received.tree], exclude, trees);
  if (left.length === 0) return { ...received, notices: [] };
  const tree = await treeWith(received.commitTree, kept.map(newEntry), trees);
  const [lost] = await changesBetween(received.commitTree, tree, trees, exclude);
  if (lost !== undefined) throw placeTaken(lost.path);
  return { ...received, tree, notices: [`left out of what isn't committed: ${listed(left.map(showPath))}`] };
}

function conflictError(names: readonly string[], { verdict }: Assembled): FerryError {
  const more = names.length > 1 ? `, and ${names.length - 1} more` : "";
  return new PullRefused("attention", `what isn't committed in the sandbox and yours both change ${names[0] ?? ""}${more}`, {
    code: "conflict",
    verdict: { ...verdict, tip: verdict.base, conflicts: names },
    details: names,
    hint: "nothing was changed; pull the commits alone, or have the agent commit first",
  });
}
