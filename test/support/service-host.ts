import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/host/clock.ts";
import { takeConsole } from "../../src/host/console.ts";
import { systemFiles } from "../../src/host/files.ts";
import { makeProcesses } from "../../src/host/processes.ts";
import {
  runService,
  type RunningService,
  type ServiceHost,
  type ServiceSettings,
} from "../../src/service/running/run-service.ts";
import { makeTestClock } from "./clock.ts";
import { makeScriptedSessions } from "./sessions.ts";

/** A data folder of its own on the real file system, and the means to run services over it. */
export interface ServicePlace {
  readonly data: string;
  readonly host: ServiceHost;
  /** Lines of the logs of all its services. */
  readonly log: string[];
  /** Starts a service with a scripted engine; it is stopped when the place is left. */
  run(change?: Partial<ServiceSettings>, host?: Partial<ServiceHost>): Promise<RunningService>;
  leave(): Promise<void>;
}

export async function makeServicePlace(): Promise<ServicePlace> {
  const root = await mkdtemp(join(tmpdir(), "ferry-service-"));
  const data = join(root, "data");
  const log: string[] = [];
  const running: RunningService[] = [];
  const env = { USER: "ada", PATH: process.env["PATH"] };
  const host: ServiceHost = {
    env,
    platform: process.platform,
    pid: process.pid,
    uid: process.getuid?.() ?? -1,
    version: "1.2.3",
    clock: systemClock,
    random: (size) => randomBytes(size),
    files: systemFiles,
    processes: makeProcesses(env, process.platform),
    takeConsole,
    interrupt: new AbortController().signal,
  };
  return {
    data,
    host,
    log,
    async run(change = {}, hostChange = {}) {
      const settings: ServiceSettings = {
        data,
        sandbox: "bwrap",
        write: (line) => log.push(line),
        makeSessions: (store) => makeScriptedSessions(store, makeTestClock(), host.random),
        ...change,
      };
      const service = await runService(settings, { ...host, ...hostChange });
      running.push(service);
      return service;
    },
    async leave() {
      for (const service of running) await service.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
