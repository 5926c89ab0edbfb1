import http from "node:http";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { FerryError } from "../../base/errors.ts";
import { dialing } from "./agent.ts";
import { bounded, ready } from "./bounded.ts";
import { type Line, watchSocket } from "./exchange.ts";
import { holderOf, type Person } from "./peer.ts";
import { connectTimeout } from "./send.ts";

interface Options extends TcpNetConnectOpts {
  readonly name: string;
  readonly calledOff: AbortSignal;
}

/** Plain http within this machine: nothing is sent over a connection before it is known that no other person's program is at its end. */
export function lookedAt(person: Person): (url: URL, kept: boolean, signal: AbortSignal) => Line {
  const keeping = makeAgent(person, true);
  return ({ host }, kept, signal) => {
    const options: Pick<Options, "name" | "calledOff"> = { name: host, calledOff: signal };
    return { over: http, options: { ...options, agent: kept ? keeping : makeAgent(person, false) }, watch: watchSocket };
  };
}

function makeAgent(person: Person, keepAlive: boolean): http.Agent {
  return Object.assign(
    new http.Agent({ keepAlive }),
    dialing((options: Options) => reach(options, person)),
  );
}

async function reach({ name, calledOff, ...options }: Options, person: Person): Promise<Socket> {
  const socket = connect(options);
  await bounded(socket, ready(socket, "connect"), {
    signal: calledOff,
    limit: AbortSignal.timeout(connectTimeout),
    seconds: connectTimeout / 1000,
    late: (within) => Object.assign(new Error(`no connection ${within}`), { code: "ETIMEDOUT" }),
    failed: (error) => (error instanceof Error ? error : new Error(String(error))),
  });
  const holder = await holderOf(socket, person);
  // A request that got it now would wait for its end for ever.
  if (socket.destroyed) throw Object.assign(new Error("closed"), { code: "ECONNRESET" });
  if (holder === "trusted") return socket;
  socket.destroy();
  throw refusals[holder](name);
}

const refusals = {
  other: (name: string) =>
    new FerryError("auth", `what listens at ${name} is a program of another user of this computer: it gets no key`, {
      hint: "start your service at another port; one that is meant for several users is called by https",
    }),
  unknown: (name: string) =>
    new FerryError("auth", `whose program listens at ${name} can't be known in here: it gets no key`, {
      hint: "call it from outside of this container or user namespace, or by https",
    }),
};
