import { link, open, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { shellWord } from "../base/words.ts";
import type { PatchHost } from "./request.ts";

/** Who holds the lock: enough to tell whether they still run, seen from the same machine, boot and pid namespace. */
interface Owner {
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  readonly startTime: string;
  readonly nonce: string;
}

export interface Lock {
  release(): Promise<void>;
}

/** An owner as it was read. */
interface Holder extends Owner {
  readonly file: string;
  /** Where it isn't, nothing of the owner is known. */
  readonly isReadable: boolean;
}

const pause = 100;
/** How long a lock is waited for that can't be read: one that is just being written can in a moment. In ms. */
const writing = 1000;

/**
 * One pull at a time in a repository, all its worktrees together. `patience` is how long a living owner is waited for, in ms.
 * @throws FerryError unavailable where it stays held, attention where it is no lock that we can read
 */
export async function lockRepository(host: PatchHost, folder: string, patience: number): Promise<Lock> {
  const path = join(folder, "lock");
  const own = await ownRecord(host);
  const start = host.clock.elapsed();
  for (;;) {
    const holder = await acquire(host, path, own);
    if (holder === undefined) {
      await sweepDebris(folder);
      return { release: () => releaseIfOwn(path, own.nonce) };
    }
    if (host.clock.elapsed() >= start + (holder.isReadable ? patience : Math.min(patience, writing))) throw heldError(holder);
    await host.clock.sleep(pause, host.interrupt);
  }
}

function heldError({ file, isReadable, pid, host }: Holder): FerryError {
  if (!isReadable)
    return new FerryError("attention", `${oneLine(file)} should say which ferry is at work here, and can't be read`, {
      hint: `if none is, remove it: rm ${shellWord(file)}`,
    });
  return new FerryError("unavailable", "another pull is running in this repository", {
    hint: `wait for it (process ${pid} on ${oneLine(host.split("/")[0] ?? "?")}); if that is long gone, remove ${oneLine(file)}`,
  });
}

/** Gives the living holder where there is one; undefined once the lock is ours. */
async function acquire(host: PatchHost, path: string, own: Owner): Promise<Holder | undefined> {
  if (await create(path, own)) return undefined;
  const holder = await readOwner(path);
  if (holder === undefined) return acquire(host, path, own);
  if (await isAlive(host, holder, own)) return holder;
  return takeOver(host, path, { own, dead: holder });
}

/**
 * Unlink-and-create lets several in: two see the same dead owner, and the slower one removes the faster one's new lock. So the
 * right to replace a certain dead owner's lock is a lock itself, named after that owner, and is broken the same way.
 */
async function takeOver(host: PatchHost, path: string, { own, dead }: { own: Owner; dead: Holder }): Promise<Holder | undefined> {
  const breaking = `${path}.break.${dead.nonce}`;
  const breaker = await acquire(host, breaking, own);
  if (breaker !== undefined) return breaker;
  const unchanged = (await readOwner(path))?.nonce === dead.nonce;
  if (unchanged) await replace(path, own);
  await rm(breaking, { force: true });
  return unchanged ? undefined : dead;
}

/** With its content at once, so that nobody reads a half-written owner: a link to a finished file is atomic. */
async function create(path: string, own: Owner): Promise<boolean> {
  const draft = `${path}.draft.${own.nonce}`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (hasCode(error, "ENOENT")) return await create(path, own);
    if (!hasCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw error;
    return await createWithoutLinks(path, own);
  } finally {
    await rm(draft, { force: true });
  }
}

/** For file systems without hard links. A reader that is too early finds no owner yet and counts it as alive. */
async function createWithoutLinks(path: string, own: Owner): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(JSON.stringify(own));
    await file.close();
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function replace(path: string, own: Owner): Promise<void> {
  const draft = `${path}.draft.${own.nonce}`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  await rename(draft, path).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
    return replace(path, own);
  });
}

/**
 * Drafts and break files of processes that were killed while they took the lock. Those of a living one may go, too: while the lock
 * has our nonce no other owner's break file gives a right to anything, and a draft that is missed is made anew.
 */
async function sweepDebris(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith("lock.")) await rm(join(folder, name), { force: true });
}

async function releaseIfOwn(path: string, nonce: string): Promise<void> {
  if ((await readOwner(path))?.nonce === nonce) await rm(path, { force: true });
}

/** Undefined where there is no lock. One that can't be read belongs to someone that we know nothing about. */
async function readOwner(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  const owner = parseOwner(text);
  const nobody = { host: "", boot: "", namespace: "", pid: 0, startTime: "", nonce: "" };
  return { ...(owner ?? nobody), file: path, isReadable: owner !== undefined };
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { host, boot, namespace, pid, startTime, nonce } = JSON.parse(text) as Partial<Record<keyof Owner, unknown>>;
    const isWhole = [host, boot, namespace, startTime, nonce].every((each) => typeof each === "string");
    // A nonce is part of a file's name.
    return isWhole && /^[0-9a-f]+$/u.test(String(nonce)) && Number.isSafeInteger(pid)
      ? ({ host, boot, namespace, pid, startTime, nonce } as Owner)
      : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(host: PatchHost, holder: Owner, own: Owner): Promise<boolean> {
  if (holder.host !== own.host) return true;
  if (holder.boot !== own.boot) return false;
  if (holder.namespace !== own.namespace) return true;
  return (await host.processes.startTime(holder.pid)) === holder.startTime;
}

async function ownRecord(host: PatchHost): Promise<Owner> {
  const [machine, boot, namespace, startTime = ""] = await Promise.all([
    readOr("/etc/machine-id"),
    readOr("/proc/sys/kernel/random/boot_id"),
    readlink("/proc/self/ns/pid").catch(() => ""),
    host.processes.startTime(host.pid),
  ]);
  return {
    host: `${host.hostname}/${machine}`,
    boot,
    namespace,
    pid: host.pid,
    startTime,
    nonce: Buffer.from(host.random(10)).toString("hex"),
  };
}

/** Only Linux has these; elsewhere host name, pid and start time have to do. */
async function readOr(path: string): Promise<string> {
  return readFile(path, "utf8").then(
    (text) => text.trim(),
    () => "",
  );
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
