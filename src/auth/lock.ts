import { basename, dirname, join } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Host } from "../host/host.ts";
import { type Holder, mayRun, ownHolder } from "./holder.ts";

export type LockHost = Pick<Host, "files" | "processes" | "clock" | "random" | "pid" | "interrupt">;

interface Lock extends Holder {
  readonly nonce: string;
}

const pause = 50;
/** Where a file system has no hard links a lock is made and then filled: one that is empty for so long has no holder, in ms. */
const unwritten = 2000;
/** A holder that can't be asked for is given so long, in ms: more than any work under a lock takes. */
const unseen = 60_000;

/**
 * Does the work while no other ferry of this machine holds the lock file. A lock whose holder is dead is taken over.
 * @throws FerryError unavailable where it is still held after `patience` ms
 */
export async function withLock<T>(host: LockHost, path: string, patience: number, work: () => Promise<T>): Promise<T> {
  const own: Lock = { ...(await ownHolder(host)), nonce: Buffer.from(host.random(10)).toString("hex") };
  const deadline = host.clock.elapsed() + patience;
  while (!(await acquire(host, path, own))) {
    if (host.clock.elapsed() >= deadline)
      throw new FerryError("unavailable", `another ferry holds ${path}`, {
        hint: "wait for it to end, or remove the file if none runs",
      });
    await host.clock.sleep(pause, host.interrupt);
  }
  try {
    await sweep(host, path);
    return await work();
  } finally {
    if ((await read(host, path))?.nonce === own.nonce) await host.files.remove(path);
  }
}

async function acquire(host: LockHost, path: string, own: Lock): Promise<boolean> {
  if (await host.files.create(path, JSON.stringify(own))) return true;
  const holder = await read(host, path);
  if (holder === undefined || (await isAlive(host, path, holder))) return false;
  // Two that see the same dead holder must not both replace it: the right to do so is a lock named after that holder.
  const right = `${path}.after-${holder.nonce}`;
  if (!(await acquire(host, right, own))) return false;
  try {
    if ((await read(host, path))?.nonce !== holder.nonce) return false;
    await host.files.write(path, JSON.stringify(own));
    return true;
  } finally {
    await host.files.remove(right);
  }
}

async function isAlive(host: LockHost, path: string, holder: Lock): Promise<boolean> {
  if (holder.nonce === "") return isYounger(host, path, unwritten);
  return mayRun(host, holder, () => isYounger(host, path, unseen));
}

/** By the file system's own time, which is another machine's where that has the files. What lies in its future is old, too. */
async function isYounger(host: LockHost, path: string, limit: number): Promise<boolean> {
  const probe = `${path}.${Buffer.from(host.random(6)).toString("hex")}`;
  try {
    await host.files.create(probe, "");
    return Math.abs((await modified(host, probe)) - (await modified(host, path))) < limit;
  } finally {
    await host.files.remove(probe);
  }
}

/** What others left beside it that were killed while they took it. */
async function sweep(host: LockHost, path: string): Promise<void> {
  const start = `${basename(path)}.`;
  const now = await modified(host, path);
  for (const name of await host.files.list(dirname(path))) {
    if (!name.startsWith(start) || !/^(after-|[0-9a-f]{12}$)/u.test(name.slice(start.length))) continue;
    const other = join(dirname(path), name);
    if (Math.abs(now - (await modified(host, other))) >= unseen) await host.files.remove(other);
  }
}

/** What is gone in the meantime is as old as can be. */
async function modified({ files }: LockHost, path: string): Promise<number> {
  return (await files.status(path))?.modified ?? 0;
}

/** Undefined where there is no lock; without a nonce where it isn't filled yet, or names nobody. */
async function read({ files }: LockHost, path: string): Promise<Lock | undefined> {
  const text = await files.readText(path);
  if (text === undefined) return undefined;
  try {
    const { pid, startTime, nonce, space } = JSON.parse(text) as Record<keyof Lock, unknown>;
    if (typeof pid === "number" && typeof startTime === "string" && typeof nonce === "string")
      return { pid, startTime, nonce, ...(typeof space === "string" && { space }) };
  } catch {
    // Half of it, or nothing.
  }
  return { pid: 0, startTime: "", nonce: "" };
}
