/** A few words of the D-Bus protocol: just enough to see whether anybody is there, and to read a secret that lies open. */
import { existsSync } from "node:fs";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { join } from "node:path";
import type { Environment } from "../host.ts";
import { type Method, methodCall, readReplies, type Reply } from "./message.ts";
import { type Caller, readSecret, type SecretName, secrets } from "./secret.ts";

/** What became of the question whether anybody answers. `unknown`: it could not be asked, which whoever calls next will tell. */
export interface BusAnswer {
  readonly state: "answers" | "silent" | "unknown";
  /** The one that was wanted, where it lies open. */
  readonly secret?: string | undefined;
}

/** Where D-Bus listens (dbus-daemon(1), systemd's user bus); without either, asking would start a bus of our own. */
export function busAddress(env: Environment): string | undefined {
  const given = env["DBUS_SESSION_BUS_ADDRESS"] ?? "";
  if (given !== "") return given;
  const path = join(env["XDG_RUNTIME_DIR"] ?? "", "bus");
  return (env["XDG_RUNTIME_DIR"] ?? "") !== "" && existsSync(path) ? `unix:path=${path}` : undefined;
}

/**
 * Whether the bus, and who keeps the secrets on it, answer within `patience` ms: the bus when it is greeted, the other when it is
 * pinged, which the libraries do also while a prompt is open (D-Bus specification: Peer.Ping). Nobody is started by it. A secret that
 * is `wanted` is asked for in the same breath.
 */
export function askBus(address: string, uid: number, patience: number, wanted?: SecretName): Promise<BusAnswer> {
  const options = socketOf(address);
  if (options === undefined) return Promise.resolve({ state: "unknown" });
  return new Promise((resolve) => {
    let answers = false;
    const socket = connect(options);
    const timer = setTimeout(() => end({ state: answers ? "answers" : "silent" }), patience);
    const end = (answer: BusAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const fail = (): void => end({ state: answers ? "answers" : "unknown" });
    const converse = async (call: Caller): Promise<void> => {
      const present = Promise.all([call(hello), call(ping)]);
      // What we don't understand of it the library will.
      const secret = wanted && readSecret(call, wanted).catch(() => undefined);
      await present;
      answers = true;
      end({ state: "answers", secret: await secret });
    };
    socket.once("error", fail);
    socket.once("close", fail);
    socket.once("connect", () =>
      greet(socket, uid, { welcome: (call) => void converse(call), refused: () => end({ state: "answers" }), garbled: fail }),
    );
  });
}

interface Greeting {
  readonly welcome: (call: Caller) => void;
  /** Refused is answered, too: what it means the real call tells. */
  readonly refused: () => void;
  readonly garbled: () => void;
}

/** D-Bus specification, Authentication Protocol: EXTERNAL, by who we are to the system. */
function greet(socket: Socket, uid: number, { welcome, refused, garbled }: Greeting): void {
  let received: Buffer = Buffer.alloc(0);
  let isWelcome = false;
  const waiting = new Map<number, (reply: Reply) => void>();
  const call = (method: Method): Promise<Reply> =>
    new Promise((resolve) => {
      const serial = waiting.size + 1;
      waiting.set(serial, resolve);
      socket.write(methodCall(serial, method));
    });
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (!isWelcome) {
      const at = received.indexOf("\r\n");
      if (at < 0) return;
      if (!received.toString("latin1", 0, at).startsWith("OK")) {
        refused();
        return;
      }
      isWelcome = true;
      received = received.subarray(at + 2);
      socket.write("BEGIN\r\n");
      welcome(call);
    }
    try {
      const { replies, rest } = readReplies(received);
      received = rest;
      for (const [serial, reply] of replies) waiting.get(serial)?.(reply);
    } catch {
      // No D-Bus: as if it had hung up.
      garbled();
    }
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

const hello: Method = {
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
  name: "Hello",
  destination: "org.freedesktop.DBus",
};
const ping: Method = { ...secrets, interface: "org.freedesktop.DBus.Peer", name: "Ping" };
