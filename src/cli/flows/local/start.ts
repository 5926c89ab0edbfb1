import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import type { Host } from "../../../host/host.ts";
import { withLock } from "../../../auth/lock.ts";
import type { Context } from "../../context.ts";
import { checkVariables } from "../settings.ts";
import { isBusy } from "./busy.ts";
import { findLocal, type LocalService } from "./find.ts";

/** How long a start may take, and how long the first one to ask may hold the others up. */
export const startPatience = 30_000;
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
    await context.print.note(`starting the embedded service (its data: ${data})`);
    return startLocal(host, options);
  });
}

/**
 * Starts `ferry serve` in the background and waits until it answers.
 * @throws FerryError unavailable with the last words of its log where it ends instead
 */
async function startLocal(host: Host, options: readonly string[]): Promise<LocalService> {
  const { data } = findFolders(host);
  const log = logPath(host);
  if (((await host.files.status(log))?.size ?? 0) > largestLog) await host.files.rename(log, `${log}.1`);
  const argv = [...host.self, "serve", "--stop-when-idle", "1h", ...options];
  const pid = await host.processes.detach(argv, { cwd: data, env: serviceEnvironment(host), log });
  const deadline = host.clock.elapsed() + startPatience;
  while (host.clock.elapsed() < deadline) {
    const service = await findLocal(host);
    if (service !== undefined) return service;
    if ((await host.processes.startTime(pid)) === undefined) break;
    await host.clock.sleep(pause, host.interrupt);
  }
  const { said, hint } = await lastWords(host, log);
  throw new FerryError("unavailable", `the embedded service did not start: ${said}`, { hint: hint ?? `see ${log}` });
}

function isOlder(service: LocalService, { version }: Host): boolean {
  // Which of two is newer takes tables that each command would wait for.
  return service.version !== version && service.version.localeCompare(version, "en", { numeric: true }) < 0;
}

/** Asks it to end, and waits until it has. */
export async function stopLocal(host: Host, { pid }: Pick<LocalService, "pid">): Promise<void> {
  const startTime = await host.processes.startTime(pid);
  host.processes.kill(pid, "SIGTERM");
  const deadline = host.clock.elapsed() + startPatience;
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
