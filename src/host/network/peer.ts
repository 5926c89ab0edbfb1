import { readFileSync } from "node:fs";
import { isIPv4, type Socket } from "node:net";
import { readFile } from "../fs.ts";
import type { LoopbackRequest } from "../host.ts";

/**
 * Whose process has connected to us from within this machine: Linux has a table of all sockets with their owners (proc_net_tcp(5)).
 * Root counts as ourselves, since nothing is hidden from it. Where that process has hung up the table has no owner, and soon no row.
 * It is unknown elsewhere, where the table lacks what must be in it (WSL 1), and of a connection that stands and has no other end here:
 * that comes from another network namespace, or from outside of this system.
 */
export async function peerOf({ localAddress, localPort, remoteAddress, remotePort }: Ends): Promise<LoopbackRequest["peer"]> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return "unknown";
  if (remotePort === undefined) return "gone";
  const ends = { localAddress, localPort, remoteAddress, remotePort };
  const here = written(localAddress, localPort);
  let isTold = false;
  let stands = false;
  for (let look = 0; look < looks; look++) {
    const rows = (await readTables()) ?? [];
    const end = otherEnd(rows, ends);
    if (end !== undefined) return end.owner === undefined ? "gone" : whose(end.owner, uid);
    isTold ||= rows.some(({ state, local }) => state === listening && local === here);
    stands = ownEnd(rows, ends)?.state === established;
  }
  return isTold && !stands ? "gone" : "unknown";
}

/** In a user namespace everybody of outside is nobody: other people, but root and ourselves, too. */
async function whose(owner: number, uid: number): Promise<LoopbackRequest["peer"]> {
  if (owner === uid || owner === 0) return "self";
  return owner === nobody && (await isInUserNamespace()) ? "unknown" : "other";
}

/** A connection's ends, taken down before it is closed: a socket forgets them then. */
type Ends = { readonly [End in "localAddress" | "localPort" | "remoteAddress" | "remotePort"]?: Socket[End] | undefined };

/** States of a socket, as the table has them (the kernel's tcp_states.h). */
const [established, listening] = ["01", "0A"];

/** Who has the other end of a connection: nobody that a key need be kept from, another person, or it can't be known. */
export type Holder = "trusted" | "other" | "unknown";

/**
 * Who has taken the connection that we made to this machine: a service that is down leaves its port to whoever comes first, and the key
 * would go there. It is asked when there is a connection: who listens before that may be gone by then, and somebody else there. What
 * nobody has taken yet belongs to who listens, since it ends with that. A connection that has no other end here at all leads out of
 * this machine (a container, WSL's host), as only its administrator can arrange.
 */
export async function holderOf(socket: Socket, { uid, isInside }: Person, read = readTables): Promise<Holder> {
  let isHere = false;
  for (let look = 0; look < looks; look++) {
    const rows = await read();
    if (rows === undefined) return "unknown";
    const end = otherEnd(rows, socket);
    isHere ||= end !== undefined;
    // Newer kernels tell whose listener it is before anybody has taken it; of the others it is root's.
    const owner = end?.owner ?? (end?.uid === 0 ? undefined : end?.uid) ?? listenerAt(rows, socket)?.uid;
    if (owner === undefined) continue;
    // In there everybody of outside is nobody: other people, too.
    if (owner === nobody && isInside) return "unknown";
    return owner === uid || !isPerson(owner) ? "trusted" : "other";
  }
  return isHere ? "unknown" : "trusted";
}

/** The kernel hands its tables out in pieces: of what is opened and closed meanwhile a row may be missing in one reading. */
const looks = 5;

export interface Person {
  readonly uid: number;
  /** In a user namespace (user_namespaces(7)), where ids aren't those of the machine, and root is no root. */
  readonly isInside: boolean;
}

/** Whom this process runs for; undefined where that isn't asked: no Linux, or root itself, who trusts everybody on its machine. */
export async function findPerson(): Promise<Person | undefined> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return undefined;
  const isInside = await isInUserNamespace();
  return uid === 0 && !isInside ? undefined : { uid, isInside };
}

async function isInUserNamespace(): Promise<boolean> {
  return isNarrow(readMap());
}

/** The kernel has it in memory: no thread need read it. */
function readMap(): string {
  try {
    return readFileSync("/proc/self/uid_map", "latin1");
  } catch {
    return "";
  }
}

/** Whether this uid_map has another than each of the machine's ids for itself. */
export function isNarrow(map: string): boolean {
  return !/^\s*0\s+0\s+4294967295\s*$/u.test(map);
}

const nobody = 65_534;

/**
 * Below and between are the system's own accounts, which may well serve everyone (login.defs(5); systemd's "Users, Groups, UIDs and GIDs",
 * for those of its services and for nobody's).
 */
function isPerson(uid: number): boolean {
  return uid >= 1000 && !(uid >= 61_184 && uid <= 65_519) && uid !== nobody;
}

/** A socket of this machine, its addresses as the kernel writes them; `owner` where a process has it. */
export interface Row {
  readonly state: string;
  readonly local: string;
  readonly remote: string;
  readonly uid: number;
  readonly owner: number | undefined;
}

function otherEnd(rows: readonly Row[], { localAddress, localPort, remoteAddress, remotePort }: Ends): Row | undefined {
  return ownEnd(rows, { localAddress: remoteAddress, localPort: remotePort, remoteAddress: localAddress, remotePort: localPort });
}

function ownEnd(rows: readonly Row[], { localAddress, localPort, remoteAddress, remotePort }: Ends): Row | undefined {
  const [here, there] = [written(localAddress, localPort), written(remoteAddress, remotePort)];
  return rows.find(({ local, remote }) => local === here && remote === there);
}

/** The nearest one takes it: at this address, else at all of its kind, else at all of IPv6, which may stand for both. */
function listenerAt(rows: readonly Row[], { remoteAddress = "", remotePort }: Socket): Row | undefined {
  const all = isIPv4(remoteAddress.replace(/^::ffff:/u, "")) ? ["0.0.0.0", "::"] : ["::"];
  const places = [remoteAddress, ...all].map((address) => written(address, remotePort));
  const open = rows.filter(({ state }) => state === listening);
  return places.flatMap((place) => open.find(({ local }) => local === place) ?? [])[0];
}

/** Undefined where there are none to read. */
export async function readTables(): Promise<Row[] | undefined> {
  const paths = ["/proc/net/tcp", "/proc/net/tcp6"];
  const tables = (await Promise.all(paths.map((path) => readFile(path, "latin1").catch(() => undefined)))).filter(
    (table) => table !== undefined,
  );
  return tables.length === 0 ? undefined : tables.flatMap((table) => table.trimEnd().split("\n").slice(1).map(readRow));
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
