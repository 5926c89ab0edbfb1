import { parseArgs } from "node:util";
import { build } from "esbuild";
import { makeFolder } from "../support/git.ts";
import { makeSeries, type Size } from "./pull/repository.ts";
import { type Cost, onFresh, onMoved, plain, pullBy, rebase, ship, type Shipment } from "./pull/ways.ts";

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    commits: { type: "string", multiple: true },
    files: { type: "string", multiple: true },
    rounds: { type: "string" },
    /** Only these, by their names in the table. */
    way: { type: "string", multiple: true },
  },
});

const usual: readonly Size[] = [
  { commits: 10, files: 5000 },
  { commits: 1000, files: 5000 },
];
const matrix: readonly Size[] = [5000, 50_000].flatMap((files) => [10, 100, 1000, 5000].map((commits) => ({ commits, files })));
const sizes =
  values.commits === undefined && values.files === undefined
    ? values.all
      ? matrix
      : usual
    : (values.files ?? ["5000"]).flatMap((files) =>
        (values.commits ?? ["1000"]).map((commits) => ({ commits: Number(commits), files: Number(files) })),
      );

/** How many times as long as plain `git am` a pull of a thousand patches may take, by the number of files. */
const aims: Readonly<Record<number, Readonly<Record<"exact" | "am" | "bundle", number>>>> = {
  5000: { exact: 0.25, am: 1, bundle: 0.15 },
  50_000: { exact: 0.06, am: 0.25, bundle: 0.05 },
};

/** Onto a branch that moved on: each is measured against the other alone. */
const replay = { plain: "git rebase", pull: "pull, replayed" };

const folder = makeFolder("ferry-bench-");
try {
  const program = await buildChild(folder.path);
  for (const size of sizes) await measure(size, program);
} finally {
  folder.remove();
}

async function measure(size: Size, program: string): Promise<void> {
  const shipment = ship(
    `${folder.path}/${size.commits}-${size.files}`,
    makeSeries(`${folder.path}/${size.commits}-${size.files}`, size),
  );
  const all: [string, (shipment: Shipment) => Promise<Cost>][] = [
    ...Object.entries(plain).map(([name, way]): (typeof all)[number] => [name, (it) => onFresh(it, (copy) => way(copy, it))]),
    ...(["exact", "am", "bundle"] as const).map((engine): (typeof all)[number] => [
      `pull, ${engine}`,
      (it) => onFresh(it, (copy) => pullBy(engine, program, copy, it)),
    ]),
    [replay.plain, (it) => onMoved(it, (copy) => rebase(copy, it))],
    [replay.pull, (it) => onMoved(it, (copy) => pullBy("exact", program, copy, { ...it, isMoved: true }))],
  ];
  const ways = all.filter(([name]) => values.way?.includes(name) ?? true);
  const costs = new Map<string, Cost[]>(ways.map(([name]) => [name, []]));
  const rounds = Number(values.rounds ?? (size.commits >= 1000 ? 3 : 5));
  for (let round = 0; round < rounds; round += 1)
    // In turn, and each time in the other order, so that what else the machine does falls on all of them.
    for (const [name, way] of round % 2 === 0 ? ways : ways.toReversed()) costs.get(name)?.push(await way(shipment));
  report(size, costs);
}

function report({ commits, files }: Size, costs: ReadonlyMap<string, readonly Cost[]>): void {
  console.log(
    `  ${commits} commits, ${files} files          time            processor time   largest process, ferry's own (MiB)`,
  );
  for (const [name, runs] of costs) {
    const isReplay = Object.values(replay).includes(name);
    const [reference, processor] = mediansOf(costs.get(isReplay ? replay.plain : "git am") ?? []);
    const [milliseconds, own] = mediansOf(runs);
    const engine = (["exact", "am", "bundle"] as const).find((each) => name === `pull, ${each}`);
    const aim = engine === undefined || commits !== 1000 ? undefined : aims[files]?.[engine];
    const time = `${milliseconds.toFixed(0).padStart(7)} ms ${ratio(milliseconds, reference)}`;
    const used = `${own.toFixed(0).padStart(7)} ms ${ratio(own, processor)}`;
    const memory = `${most(runs, "largest")}${engine === undefined ? "" : ` ${most(runs, "ferry")}`}`;
    console.log(`    ${name.padEnd(14)} ${time}  ${used}  ${memory.padEnd(12)} ${aim === undefined ? "" : `aim ${aim}×`}`);
  }
}

function mediansOf(runs: readonly Cost[]): [number, number] {
  return [median(runs.map((run) => run.milliseconds)), median(runs.map((run) => run.processor))];
}

function ratio(one: number, other: number): string {
  return `${(one / other).toFixed(3)}×`;
}

function most(runs: readonly Cost[], what: "largest" | "ferry"): string {
  return Math.max(...runs.map((run) => run[what] ?? 0)).toFixed(0);
}

async function buildChild(to: string): Promise<string> {
  const outfile = `${to}/child.mjs`;
  await build({
    // The runner of the benches starts them in the checkout's folder.
    entryPoints: ["test/bench/pull/child.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["execa"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return outfile;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
