import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import type { Manifest } from "../../../src/wire/patches.ts";
import type { EngineName } from "../../../src/patch/verdict.ts";
import { pullInto } from "../../support/pulling.ts";

/** What this process does: JSON in the file that it is given. */
export interface PullTask {
  readonly folder: string;
  readonly engine: EngineName;
  readonly manifest: string;
  readonly mbox: string;
  readonly bundle: string;
  /** Where the branch must be then; undefined where HEAD moved and it will be another. */
  readonly tip: string | undefined;
}

export interface PullTimes {
  readonly milliseconds: number;
  /** Processor time of this process before the pull, in ms. */
  readonly before: number;
  /** Peak of this process in MiB. */
  readonly memory: number;
}

const task = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as PullTask & { told: string };
const manifest = JSON.parse(readFileSync(task.manifest, "utf8")) as Manifest;
const source = {
  manifest: () => Promise.resolve(manifest),
  mbox: () => createReadStream(task.mbox),
  bundle: () => createReadStream(task.bundle),
};
const used = process.cpuUsage();
const before = (used.user + used.system) / 1000;
const started = performance.now();
const { tip, engine } = await pullInto(task.folder, source, { deps: { engines: [task.engine] } });
const milliseconds = performance.now() - started;
if (engine !== task.engine || (task.tip !== undefined && tip !== task.tip)) throw new Error(`${engine} made ${tip}`);
const times: PullTimes = { milliseconds, before, memory: process.resourceUsage().maxRSS / 1024 };
writeFileSync(task.told, JSON.stringify(times));
