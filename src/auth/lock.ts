import { FerryError } from "../base/errors.ts";
import type { Host } from "../host/host.ts";

export type LockHost = Pick<Host, "files" | "processes" | "clock" | "random" | "pid" | "interrupt">;

/** Enough to tell a living holder from a later process with its pid. */
interface Holder {
  readonly pid: number;
  readonly startTime: string;
  readonly nonce: string;
}

const pause = 50;
/** A holder that wrote nothing for this long died between making the file and filling it. */
const unwritten = 10_000;

/**
 * Does the work while no other ferry of this machine holds the lock file. A lock whose holder is dead is taken over.
 * @throws FerryError unavailable where it is still held after `patience` ms
 */
export async function withLock<T>(host: LockHost, path: string, patience: number, work: () => Promise<T>): Promise<T> {
  const own: Holder = {
    pid: host.pid,
    startTime: (await host.processes.startTime(host.pid)) ?? "",
    nonce: Buffer.from(host.random(10)).toString("hex"),
  };
  const deadline = host.clock.elapsed() + patience;
  while (!(await acquire(host, path, own))) {
    if (host.clock.elapsed() >= deadline)
      throw new FerryError("unavailable", `another ferry holds ${path}`, {
        hint: "wait for it to end, or remove the file if none runs",
      });
    await host.clock.sleep(pause, host.interrupt);
  }
  try {
    return await work();
  } finally {
    if ((await read(host, path))?.nonce === own.nonce) await host.files.remove(path);
  }
}

async function acquire(host: LockHost, path: string, own: Holder): Promise<boolean> {
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

async function isAlive(host: LockHost, path: string, holder: Holder): Promise<boolean> {
  if (holder.nonce !== "") return (await host.processes.startTime(holder.pid)) === holder.startTime;
  const modified = (await host.files.status(path))?.modified ?? host.clock.now();
  return host.clock.now() - modified < unwritten;
}

/** Undefined where there is no lock; without a nonce where it isn't filled yet, or names nobody. */
async function read({ files }: LockHost, path: string): Promise<Holder | undefined> {
  const text = await files.readText(path);
  if (text === undefined) return undefined;
  try {
    const { pid, startTime, nonce } = JSON.parse(text) as Record<keyof Holder, unknown>;
    if (typeof pid === "number" && typeof startTime === "string" && typeof nonce === "string") return { pid, startTime, nonce };
  } catch {
    // Half of it, or nothing.
  }
  return { pid: 0, startTime: "", nonce: "" };
}
