import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import type { Host } from "../../../host/host.ts";
import { withLock } from "../../../auth/lock.ts";
import type { Context } from "../../context.ts";
import { checkVariables } from "../settings.ts";
import { isBusy } from "./busy.ts";
import { findLocal, findStarting, type LocalService } from "./find.ts";

/** How long a start may take, which puts in order first what a killed service left, and how long the first one to ask may hold the others up. */
export const startPatience = 120_000;
/** After how long it is told what is waited for. */
const remarkable = 5000;
const endPatience = 30_000;
/** In the data folder: whoever starts it, or must know that nobody does, holds it. */
export const startLock = "start.lock";
const pause = 50;
/** In bytes: a log that is larger when a service starts is put aside, in place of the one before. */
const largestLog = 10 * 1024 * 1024;

/**
 * The running service, started in the background (with further arguments of `ferry serve`) where none runs, and said so; one of
 * an older version is replaced when it is idle.
 */
export async function ensureLocal(context: Context, options: readonly string[] = []): Promise<LocalService> {
  const { host } = context;
  const found = await findLocal(host);
  if (found !== undefined && (!isOlder(found, host) || (await isBusy(host, found)))) return found;
  checkVariables(host, options);
  const { data } = findFolders(host);
  await host.files.makeFolder(data, 0o700);
  return withLock(host, join(data, startLock), startPatience, async () => {
    // Another first use may have been faster.
    const now = await findLocal(host);
    if (now !== undefined && !isOlder(now, host)) return now;
    if (now !== undefined) await stopLocal(host, now);
    return (await awaitStarting(context)) ?? startLocal(context, options);
  });
}

/** One that starts already (or ends), for somebody who didn't wait for it; undefined where there is none, or it ended instead. */
async function awaitStarting(context: Context): Promise<LocalService | undefined> {
  const starting = await findStarting(context.host, startPatience);
  if (starting === undefined) return undefined;
  await context.print.note(`the embedded service (process ${starting.pid}) is about to start or to end: waiting for it`);
  return awaitStart(context, starting.pid);
}

/**
 * Starts `ferry serve` in the background and waits until it answers.
 * @throws FerryError unavailable with the last words of its log where it ends instead, or takes too long
 */
async function startLocal(context: Context, options: readonly string[]): Promise<LocalService> {
  const { host, print } = context;
  const { data } = findFolders(host);
  await print.note(`starting the embedded service (its data: ${data})`);
  const log = logPath(host);
  if (((await host.files.status(log))?.size ?? 0) > largestLog) await host.files.rename(log, `${log}.1`);
  const argv = [...host.self, "serve", "--stop-when-idle", "1h", ...options];
  const pid = await host.processes.detach(argv, { cwd: data, env: serviceEnvironment(host), log });
  const service = await awaitStart(context, pid);
  if (service !== undefined) return service;
  const { said, hint } = await lastWords(host, log);
  throw new FerryError("unavailable", `the embedded service did not start: ${said}`, { hint: hint ?? `see ${log}` });
}

/**
 * Waits until the service answers, as long as its process lives; undefined where that ends.
 * @throws FerryError unavailable where it takes too long
 */
async function awaitStart({ host, print }: Context, pid: number): Promise<LocalService | undefined> {
  const begin = host.clock.elapsed();
  for (let told = false; ;) {
    const service = await findLocal(host);
    if (service !== undefined) return service;
    if ((await host.processes.startTime(pid)) === undefined) return undefined;
    const waited = host.clock.elapsed() - begin;
    if (waited >= startPatience)
      throw new FerryError("unavailable", `the embedded service (process ${pid}) is still starting`, {
        hint: "what it does: ferry service logs; what it is for can be tried again then",
      });
    if (waited >= remarkable && !told) {
      told = true;
      await print.note(`waiting for the embedded service (process ${pid}), which puts in order what an earlier one left`);
    }
    await host.clock.sleep(pause, host.interrupt);
  }
}

function isOlder(service: LocalService, { version }: Host): boolean {
  // Which of two is newer takes tables that each command would wait for.
  return service.version !== version && service.version.localeCompare(version, "en", { numeric: true }) < 0;
}

/** Asks it to end, and waits until it has. */
export async function stopLocal(host: Host, { pid }: Pick<LocalService, "pid">): Promise<void> {
  const startTime = await host.processes.startTime(pid);
  host.processes.kill(pid, "SIGTERM");
  const deadline = host.clock.elapsed() + endPatience;
  while ((await host.processes.startTime(pid)) === startTime && startTime !== undefined) {
    if (host.clock.elapsed() >= deadline)
      throw new FerryError("unavailable", `the embedded service (process ${pid}) does not end`);
    await host.clock.sleep(pause, host.interrupt);
  }
}

export function logPath(host: Host): string {
  return join(findFolders(host).data, "service.log");
}

/** It serves other commands too: nothing that was meant for this one alone, no key, and no git's idea of a repository. */
function serviceEnvironment({ env }: Host): Host["env"] {
  const own = /^(FERRY_(API_KEY|HOST|SESSION)|GIT_.*)$/u;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

/** What it said last: as an error, with its hint, where it came to that, else whatever its log ends with. */
async function lastWords(host: Host, log: string): Promise<{ readonly said: string; readonly hint: string | undefined }> {
  const lines = ((await host.files.readText(log)) ?? "").trim().split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("ferry: "));
  if (at < 0) return { said: lines.at(-1) || "it said nothing", hint: undefined };
  const hint = lines.slice(at).find((line) => line.startsWith("  hint: "));
  return { said: (lines[at] ?? "").slice("ferry: ".length), hint: hint?.slice("  hint: ".length) };
}
