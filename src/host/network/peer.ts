import { isIPv4, type Socket } from "node:net";
import { readFile } from "../fs.ts";
import type { LoopbackRequest } from "../host.ts";

/**
 * Whose process has connected to us from within this machine: Linux has a table of all sockets with their owners (proc_net_tcp(5)).
 * Root counts as ourselves, since nothing is hidden from it. Elsewhere, and where that process has already hung up (then the table has
 * no owner), it is unknown.
 */
export async function peerOf(socket: Socket): Promise<LoopbackRequest["peer"]> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return "unknown";
  const owner = otherEnd(await readTables(), socket)?.owner;
  if (owner === undefined) return "unknown";
  return owner === uid || owner === 0 ? "self" : "other";
}

/**
 * Whether another person's program has taken the connection that we made to this machine: a service that is down leaves its port to
 * whoever comes first, and the key would go there. It is asked when there is a connection: who listens before that may be gone by then,
 * and somebody else there. What nobody has taken yet belongs to who listens, since it ends with that. A connection that has no other
 * end here at all leads out of this machine (a container, WSL's host), as only its administrator can arrange.
 */
export async function isAnothers(socket: Socket, uid: number): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const rows = await readTables();
  const taken = otherEnd(rows, socket)?.owner;
  const owners = taken === undefined ? listenersAt(rows, socket).map(({ uid: owner }) => owner) : [taken];
  return owners.some((owner) => owner !== uid && isPerson(owner));
}

/**
 * Below and between are the system's own accounts, which may well serve everyone (login.defs(5); systemd's "Users, Groups, UIDs and GIDs",
 * for those of its services and for nobody's).
 */
function isPerson(uid: number): boolean {
  return uid >= 1000 && !(uid >= 61_184 && uid <= 65_519) && uid !== 65_534;
}

/** A socket of this machine, its addresses as the kernel writes them; `owner` where a process has it. */
interface Row {
  readonly state: string;
  readonly local: string;
  readonly remote: string;
  readonly uid: number;
  readonly owner: number | undefined;
}

function otherEnd(rows: readonly Row[], { localAddress, localPort, remoteAddress, remotePort }: Socket): Row | undefined {
  const [here, there] = [written(localAddress, localPort), written(remoteAddress, remotePort)];
  return rows.find(({ local, remote }) => local === there && remote === here);
}

const listening = "0A";

function listenersAt(rows: readonly Row[], { remoteAddress, remotePort }: Socket): Row[] {
  const places = [remoteAddress, "0.0.0.0", "::"].map((address) => written(address, remotePort));
  return rows.filter(({ state, local }) => state === listening && places.includes(local));
}

async function readTables(): Promise<Row[]> {
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((table) => readFile(table, "latin1").catch(() => ""));
  return (await Promise.all(tables)).flatMap((table) => table.split("\n").slice(1).map(readRow));
}

function readRow(line: string): Row {
  const [, local = "", remote = "", state = "", , , , uid = "", , inode = "0"] = line.trim().split(/\s+/u);
  const ends = { local: local.replace(mapped, ""), remote: remote.replace(mapped, "") };
  return { ...ends, state, uid: Number(uid), owner: inode === "0" ? undefined : Number(uid) };
}

/** What an IPv4 address has before it on a socket for both. */
const mapped = /^0{16}FFFF0000/u;

/** An address and port as the kernel writes them, each four bytes turned round; of IPv6 this machine's own and the one for all. */
function written(address = "", port = 0): string {
  const plain = address.replace(/^::ffff:/u, "");
  const host = isIPv4(plain) ? Buffer.from(plain.split(".").map(Number).reverse()).toString("hex") : ownIpv6[plain];
  return `${(host ?? "").toUpperCase()}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}

const ownIpv6: Readonly<Record<string, string>> = { "::": "0".repeat(32), "::1": `${"0".repeat(24)}01000000` };
