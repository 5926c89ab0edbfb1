import { readFile } from "../fs.ts";
import type { Socket } from "node:net";
import type { LoopbackRequest } from "../host.ts";

/**
 * Whose process is at the other end of a connection within this machine: Linux has a table of all sockets with their owners
 * (proc_net_tcp(5)). Root counts as ourselves, since nothing is hidden from it. Elsewhere, and where that process has already hung up
 * (then the table has no owner), it is unknown.
 */
export async function peerOf({ remotePort, localPort }: Socket): Promise<LoopbackRequest["peer"]> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined || remotePort === undefined || localPort === undefined) return "unknown";
  const ends = (await readTables()).filter(
    ({ local, remote, inode }) => local === remotePort && remote === localPort && inode !== "0",
  );
  const [owner] = ends;
  if (owner === undefined) return "unknown";
  return owner.uid === uid || owner.uid === 0 ? "self" : "other";
}

/** login.defs(5): the accounts of people begin there, but for nobody's. Below are the system's own, which may well serve everyone. */
const [firstPerson, nobody] = [1000, 65_534];

/**
 * Whether what listens on this port of this machine is another person's: a service that is down leaves its port to whoever takes it, and
 * the key would go there. Where that can't be known it is taken for the right one; root trusts everybody, as a container's only user does.
 */
export async function isAnothers(port: number, uid: number | undefined): Promise<boolean> {
  if (process.platform !== "linux" || uid === undefined || uid === 0) return false;
  const lines = (await readTables()).filter(({ state, local }) => state === listening && local === port);
  return lines.some((line) => line.uid !== uid && line.uid >= firstPerson && line.uid !== nobody);
}

const listening = "0A";

interface Line {
  readonly state: string;
  readonly local: number;
  readonly remote: number;
  readonly uid: number;
  readonly inode: string;
}

async function readTables(): Promise<Line[]> {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((table) => readFile(table, "latin1").catch(() => ""));
  return (await Promise.all(tables)).flatMap((table) => table.split("\n").flatMap((line) => readLine(line) ?? []));
}

/** Loopback addresses as the kernel writes them, and the one that stands for all. */
const here = /^(?:(?:0000000000000000FFFF0000)?[0-9A-F]{6}7F|0{24}01000000|0{8}|0{32})$/u;

function readLine(line: string): Line | undefined {
  const [, local = "", remote = "", state = "", , , , uid = "", , inode = ""] = line.trim().split(/\s+/u);
  const [from = "", fromPort = ""] = local.split(":");
  const [to = "", toPort = ""] = remote.split(":");
  if (!here.test(from) || !here.test(to)) return undefined;
  return { state, local: Number.parseInt(fromPort, 16), remote: Number.parseInt(toPort, 16), uid: Number(uid), inode };
}
