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
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const lines = (await readFile(table, "latin1").catch(() => "")).split("\n");
    const owner = lines.map(readLine).find((line) => line?.local === remotePort && line.remote === localPort);
    if (owner === undefined || owner.inode === "0") continue;
    return owner.uid === uid || owner.uid === 0 ? "self" : "other";
  }
  return "unknown";
}

interface Line {
  readonly local: number;
  readonly remote: number;
  readonly uid: number;
  readonly inode: string;
}

/** 127.0.0.1 as the kernel writes it, and within IPv6. */
const loopback = /^(0000000000000000FFFF0000)?0100007F$/u;

function readLine(line: string): Line | undefined {
  const [, local = "", remote = "", , , , , uid = "", , inode = ""] = line.trim().split(/\s+/u);
  const [from = "", fromPort = ""] = local.split(":");
  const [to = "", toPort = ""] = remote.split(":");
  if (!loopback.test(from) || !loopback.test(to)) return undefined;
  return { local: Number.parseInt(fromPort, 16), remote: Number.parseInt(toPort, 16), uid: Number(uid), inode };
}
