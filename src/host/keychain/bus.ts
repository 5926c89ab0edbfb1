/** A few words of the D-Bus protocol: just enough to see whether anybody is there. */
import { existsSync } from "node:fs";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { join } from "node:path";
import type { Environment } from "../host.ts";

/** What became of the question whether anybody answers. `unknown`: it could not be asked, which whoever calls next will tell. */
export type BusState = "answers" | "silent" | "unknown";

/** Where D-Bus listens (dbus-daemon(1), systemd's user bus); without either, asking would start a bus of our own. */
export function busAddress(env: Environment): string | undefined {
  const given = env["DBUS_SESSION_BUS_ADDRESS"] ?? "";
  if (given !== "") return given;
  const path = join(env["XDG_RUNTIME_DIR"] ?? "", "bus");
  return (env["XDG_RUNTIME_DIR"] ?? "") !== "" && existsSync(path) ? `unix:path=${path}` : undefined;
}

/**
 * Whether the bus, and who keeps the secrets on it, answer within `patience` ms: the bus when it is greeted, the other when it is
 * pinged, which the libraries do also while a prompt is open (D-Bus specification: Peer.Ping). Nobody is started by it.
 */
export function askBus(address: string, uid: number, patience: number): Promise<BusState> {
  const options = socketOf(address);
  if (options === undefined) return Promise.resolve("unknown");
  return new Promise((resolve) => {
    const socket = connect(options);
    const timer = setTimeout(() => end("silent"), patience);
    const end = (state: BusState): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(state);
    };
    socket.once("error", () => end("unknown"));
    socket.once("close", () => end("unknown"));
    socket.once("connect", () => greet(socket, uid, end));
  });
}

function greet(socket: Socket, uid: number, end: (state: BusState) => void): void {
  let received = Buffer.alloc(0);
  let welcome = false;
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (!welcome) {
      const at = received.indexOf("\r\n");
      if (at < 0) return;
      // Refused is answered, too: what it means the real call tells.
      if (!received.toString("latin1", 0, at).startsWith("OK")) {
        end("answers");
        return;
      }
      welcome = true;
      received = received.subarray(at + 2);
      socket.write(Buffer.concat([Buffer.from("BEGIN\r\n"), methodCall(1, hello), methodCall(2, ping)]));
    }
    if (countReplies(received) >= 2) end("answers");
  });
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString("hex")}\r\n`);
}

/** The first address that Node can connect to. @see D-Bus specification, Server Addresses */
function socketOf(address: string): NetConnectOpts | undefined {
  const [, kind, value = ""] = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]*)/u.exec(address) ?? [];
  if (kind === undefined) return undefined;
  const name = value.replace(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return { path: kind === "path" ? name : `\0${name}` };
}

interface Method {
  readonly path: string;
  readonly name: string;
  readonly interface: string;
  readonly destination: string;
}

const hello: Method = {
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
  name: "Hello",
  destination: "org.freedesktop.DBus",
};
const ping: Method = {
  path: "/org/freedesktop/secrets",
  interface: "org.freedesktop.DBus.Peer",
  name: "Ping",
  destination: "org.freedesktop.secrets",
};

/** D-Bus specification, Message Format: little-endian, version 1, without a body. */
function methodCall(serial: number, method: Method): Buffer {
  const noAutoStart = 2;
  const fields = Buffer.concat([
    padded(field(1, "o", method.path)),
    padded(field(2, "s", method.interface)),
    padded(field(3, "s", method.name)),
    field(6, "s", method.destination),
  ]);
  const header = Buffer.alloc(16);
  header.set([0x6c, 1, noAutoStart, 1]);
  header.writeUInt32LE(serial, 8);
  header.writeUInt32LE(fields.length, 12);
  return padded(Buffer.concat([header, fields]));
}

/** Each starts at a multiple of 8. */
function field(code: number, type: "o" | "s", value: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([code, 1]), Buffer.from(`${type}\0`), length, Buffer.from(`${value}\0`)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
}

/** Method returns and errors among the whole messages that have come. */
function countReplies(received: Buffer): number {
  let replies = 0;
  for (let at = 0; received.length - at >= 16;) {
    const read = received[at] === 0x6c ? received.readUInt32LE.bind(received) : received.readUInt32BE.bind(received);
    const end = at + 16 + read(at + 12) + (-read(at + 12) & 7) + read(at + 4);
    if (end > received.length) break;
    if (received[at + 1] === 2 || received[at + 1] === 3) replies += 1;
    at = end;
  }
  return replies;
}
