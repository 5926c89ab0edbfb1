import { dirname } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import type { Host } from "../../host/host.ts";

/** A process, told apart from a later one with the same pid. */
export interface Owner {
  readonly pid: number;
  readonly start_time: string;
}

export type LockHost = Pick<Host, "files" | "processes" | "pid" | "clock" | "random">;

/** How long an empty lock may be one that is being written, in ms. */
const unwritten = 5000;

/**
 * Makes this process the only service of a data folder until the returned function is called. A lock that a dead process left
 * is taken over.
 * @throws FerryError unavailable where another service has it, with its pid
 */
export async function takeLock(path: string, host: LockHost): Promise<() => Promise<void>> {
  const mine = JSON.stringify(await ownerOf(host));
  while (!(await host.files.create(path, mine))) {
    const theirs = await host.files.readText(path);
    if (theirs === undefined) continue;
    await refuseLiving(path, theirs, host);
    await removeDead(path, theirs, host);
  }
  return () => host.files.remove(path);
}

/** The living process that has the lock. */
export async function holderOf(
  path: string,
  { files, processes }: Pick<Host, "files" | "processes">,
): Promise<Owner | undefined> {
  const owner = parseOwner((await files.readText(path)) ?? "");
  return owner !== undefined && (await isAlive(owner, processes)) ? owner : undefined;
}

/** This process, as it is written into the lock and into `service.json`. */
export async function ownerOf({ processes, pid }: Pick<Host, "processes" | "pid">): Promise<Owner> {
  const start_time = await processes.startTime(pid);
  if (start_time === undefined) throw new FerryError("failure", "the system doesn't tell when this process started");
  return { pid, start_time };
}

async function isAlive({ pid, start_time }: Owner, processes: Host["processes"]): Promise<boolean> {
  return (await processes.startTime(pid)) === start_time;
}

async function refuseLiving(path: string, text: string, host: LockHost): Promise<void> {
  const owner = parseOwner(text);
  const alive =
    owner === undefined
      ? text === "" && host.clock.now() - ((await host.files.status(path))?.modified ?? 0) < unwritten
      : await isAlive(owner, host.processes);
  if (!alive) return;
  const who = owner === undefined ? "" : ` (process ${owner.pid})`;
  throw new FerryError("unavailable", `another service${who} has this data folder: ${path}`, {
    hint: `stop it with \`ferry service stop --data ${shellWord(dirname(path))}\`${owner === undefined ? "" : ` (or kill ${owner.pid})`}, or choose another folder with --data`,
  });
}

/** Out of the way first, then looked at again: of two that find the same dead lock, one may already have a new one here. */
async function removeDead(path: string, seen: string, { files, random }: LockHost): Promise<void> {
  const aside = `${path}.${Buffer.from(random(6)).toString("hex")}`;
  try {
    await files.rename(path, aside);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  const moved = await files.readText(aside);
  if (moved !== seen) await files.create(path, moved ?? "");
  await files.remove(aside);
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, start_time } = JSON.parse(text) as Record<keyof Owner, unknown>;
    return typeof pid === "number" && typeof start_time === "string" ? { pid, start_time } : undefined;
  } catch {
    return undefined;
  }
}
