import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { EngineName } from "../../../src/patch/verdict.ts";
import { commitFiles, gitBytes, gitEnv, type TestGit } from "../../support/git.ts";
import { makeManifest, makeMbox } from "../../support/series.ts";
import type { PullTask, PullTimes } from "./child.ts";
import { onCopy, type Series } from "./repository.ts";

/** What one run took. */
export interface Cost {
  readonly milliseconds: number;
  /** Processor time of all processes in ms: steadier than the clock on a busy machine. */
  readonly processor: number;
  /** Peak of the largest process, git's among them, in MiB. */
  readonly largest: number;
  /** Peak of ferry's own process in MiB; undefined for a plain git. */
  readonly ferry?: number;
}

/** A series in the forms in which it can be sent, as files. */
export interface Shipment {
  readonly series: Series;
  readonly manifest: string;
  readonly mbox: string;
  readonly bundle: string;
}

export function ship(place: string, series: Series): Shipment {
  const { repository, base, tip } = series;
  const sandbox = { folder: repository.folder, branch: "series", base };
  const [manifest, mbox, bundle] = [`${place}/manifest`, `${place}/mbox`, `${place}/bundle`];
  writeFileSync(manifest, JSON.stringify(makeManifest(sandbox, "")));
  writeFileSync(mbox, makeMbox(sandbox, "", tip));
  gitBytes(repository.folder, ["bundle", "create", "-q", bundle, "series", `^${base}`]);
  return { series, manifest, mbox, bundle };
}

const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false"];
const am = ["am", "-q", "-k", "--keep-cr", "--patch-format=mboxrd"];

/** What people do without ferry. */
export const plain: Readonly<Record<string, (copy: TestGit, shipment: Shipment) => Promise<Cost>>> = {
  "git am": (copy, { mbox }) => timed(["git", ...quiet, ...am, mbox], copy),
  "git am -3": (copy, { mbox }) => timed(["git", ...quiet, ...am, "-3", mbox], copy),
  "git fetch": (copy, { bundle }) =>
    timed(["sh", "-c", `git ${quiet.join(" ")} fetch -q ${bundle} series && git merge -q --ff-only FETCH_HEAD`], copy),
};

/** The series, fetched, on top of a branch that moved on. */
export async function rebase(copy: TestGit, { bundle }: Shipment): Promise<Cost> {
  const fetch = `git ${quiet.join(" ")} fetch -q ${bundle} series:series`;
  return timed(["sh", "-c", `${fetch} && git ${quiet.join(" ")} rebase -q main series`], copy);
}

/** A pull, in a process of its own. */
export async function pullBy(
  engine: EngineName,
  program: string,
  copy: TestGit,
  { isMoved = false, ...shipment }: Shipment & { readonly isMoved?: boolean },
): Promise<Cost> {
  const task: PullTask = { folder: copy.folder, engine, ...shipment, tip: isMoved ? undefined : shipment.series.tip };
  const told = `${copy.folder}/../told`;
  writeFileSync(`${copy.folder}/../task`, JSON.stringify({ ...task, told }));
  const cost = await timed([process.execPath, program, `${copy.folder}/../task`], copy);
  const { milliseconds, before, memory } = JSON.parse(readFileSync(told, "utf8")) as PullTimes;
  return { milliseconds, processor: cost.processor - before, largest: cost.largest, ferry: memory };
}

export async function onFresh(shipment: Shipment, act: (copy: TestGit) => Promise<Cost>): Promise<Cost> {
  return onCopy(shipment.series.repository, act);
}

/** With a commit of one's own since the series began. */
export async function onMoved(shipment: Shipment, act: (copy: TestGit) => Promise<Cost>): Promise<Cost> {
  return onFresh(shipment, (copy) => {
    commitFiles(copy, { own: "mine\n" }, "own");
    return act(copy);
  });
}

async function timed(argv: readonly string[], copy: TestGit): Promise<Cost> {
  const report = `${copy.folder}/../report`;
  const started = performance.now();
  const child = spawn("/usr/bin/time", ["-f", "%M %U %S", "-o", report, ...argv], {
    cwd: copy.folder,
    env: gitEnv,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${argv.slice(0, 12).join(" ")} exited with ${code}`);
  const milliseconds = performance.now() - started;
  const [memory = 0, user = 0, system = 0] = readFileSync(report, "utf8").trim().split(" ").map(Number);
  return { milliseconds, processor: (user + system) * 1000, largest: memory / 1024 };
}
