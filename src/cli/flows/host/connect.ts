import { local, loginAt } from "../../../auth/address.ts";
import { isDebugging } from "../../../base/debugging.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { type Client, makeClient } from "../../../client/client.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import { isRead } from "../../../client/http/request.ts";
import type { Memory } from "../../../client/memory.ts";
import type { Host, Send } from "../../../host/host.ts";
import { makeMemory } from "../../config/memory.ts";
import type { Context } from "../../context.ts";
import { hostArgument } from "./argument.ts";
import { chooseHost, chosenName, hostLine, type ChosenHost, keyOfEnvironment } from "./choose.ts";
import { findLocal, type LocalService } from "../local/find.ts";
import { sendToLocal } from "../local/revive.ts";
import { ensureLocal } from "../local/start.ts";
import { unlockedLine } from "../local/unlocked.ts";
import { credentialsOf } from "../login/credentials.ts";
import { tellUnknownSettings } from "../settings.ts";
import { whileWaiting } from "../waiting.ts";

/** A service that can be called now. */
export interface Connection {
  readonly client: Client;
  readonly memory: Memory;
  /** How people and `branch.<name>.ferryHost` call it: `local`, or its address. */
  readonly host: string;
  readonly name: string;
  /** The same as a line of its own, with why it is not the last login where it isn't. */
  readonly line: string;
  /** What has a command that is printed ask this service: see hostArgument. */
  readonly argument: string;
  /** Says that its agents are locked in by nothing, where that is so of the embedded service. */
  readonly unlocked: string | undefined;
  /** What chose it, where that is neither the user nor the last login. */
  readonly why: string | undefined;
  /** Tells apart what was pulled from which service: the address, or `local:` and the id of its data folder. */
  readonly origin: string;
  /** A client that the user's interrupt doesn't end, for what has to be done after it. */
  lastCalls(patience: number): Client;
}

export interface ConnectOptions {
  /** Of git's hooks, which wait for nothing: the embedded service isn't started, and each call is tried once. */
  readonly hasty?: boolean;
  /** Of a command that says itself which host it is, and why. */
  readonly silent?: boolean;
}

/**
 * Chooses the host, finds its key, and makes a client for it; starts the embedded service where that is meant and doesn't run.
 * `linked` is as of `chooseHost`.
 */
export async function connect(
  context: Context,
  linked?: string | null,
  { hasty = false, silent = hasty }: ConnectOptions = {},
): Promise<Connection> {
  const chosen = await chooseHost(context, linked);
  if (!hasty) await tellUnknownSettings(context);
  if (!silent && linked === undefined && chosen.insteadOf !== undefined) await context.print.note(hostLine(chosen));
  if (chosen.kind === "local") {
    requirePlace(context.host, chosen);
    if (!hasty && keyOfEnvironment(context, chosen) !== undefined) await context.print.warn(ownKey);
    const service = hasty ? await requireLocal(context.host) : await ensureLocal(context);
    const send = hasty ? context.host.network.overSocket(service.socket) : sendToLocal(context, service);
    return makeConnection(context, chosen, {
      send,
      url: "http://localhost",
      name: local,
      key: service.key,
      origin: `local:${service.origin}`,
      unlocked: unlockedLine(service),
      hasty,
    });
  }
  const key = await keyFor(context, chosen);
  return makeConnection(context, chosen, { send: context.host.network.send, url: chosen.url, key, origin: chosen.url, hasty });
}

/** Who sets a key there may mean one that may do less. */
const ownKey = "FERRY_API_KEY is not used for local, whose commands have its owner's key, which may do everything (all:all)";

/** A client for a key that isn't stored yet. */
export function clientFor(
  context: Context,
  { send, url, name, key, origin, hasty = false, showSecrets = false }: Target,
): { client: Client; memory: Memory } {
  const { host, global } = context;
  const memory = makeMemory(host, origin);
  const trace = (line: string): void => void host.terminal.stderr.write(`${oneLine(line)}\n`);
  const client = makeClient({
    send,
    baseUrl: url,
    name,
    key,
    clock: host.clock,
    random: host.random,
    memory,
    userAgent: `ferry/${host.version}`,
    signal: host.interrupt,
    showSecrets,
    ...(hasty ? { patience: 0 } : { warn: (line) => void context.print.warn(line) }),
    trace: global.verbose || isDebugging(host.env) ? trace : undefined,
  });
  return { client, memory };
}

interface Target {
  readonly send: Send;
  readonly url: string;
  /** What errors call it, where its address is none that anybody gave. */
  readonly name?: string;
  readonly key: ApiKey;
  readonly origin: string;
  readonly unlocked?: string | undefined;
  readonly hasty?: boolean;
  readonly showSecrets?: boolean;
}

async function requireLocal(host: Host): Promise<LocalService> {
  const service = await findLocal(host);
  if (service !== undefined) return service;
  throw new FerryError("unavailable", "the embedded service doesn't run", { hint: "ferry service start" });
}

function makeConnection(context: Context, chosen: ChosenHost, wanted: Target): Connection {
  const target = { ...wanted, showSecrets: context.global.showSecrets };
  const send = wanted.hasty === true ? wanted.send : showingWrites(context, chosenName(chosen), wanted.send);
  return {
    ...clientFor(context, { ...target, send }),
    host: chosen.kind === "local" ? local : chosen.url,
    name: chosenName(chosen),
    line: hostLine(chosen),
    argument: hostArgument(context),
    unlocked: target.unlocked,
    why: chosen.why,
    origin: target.origin,
    lastCalls: (patience) => {
      const host = { ...context.host, interrupt: AbortSignal.timeout(patience) };
      return clientFor({ ...context, host }, target).client;
    },
  };
}

/** A write may take long: it has a sandbox made, or an agent asked. What is read is waited for by whoever knows what for. */
function showingWrites(context: Context, name: string, send: Send): Send {
  return (request) => (isRead(request) ? send(request) : whileWaiting(context, name, () => send(request)));
}

/**
 * FERRY_API_KEY, else the stored key.
 * @throws FerryError auth where there is none, or the keychain is locked; usage where FERRY_API_KEY is meant for nobody knows whom
 */
export async function keyFor(context: Context, chosen: ChosenHost & { kind: "remote" }): Promise<ApiKey> {
  requirePlace(context.host, chosen);
  const value = keyOfEnvironment(context, chosen);
  if (value !== undefined) return { value, source: "FERRY_API_KEY" };
  if (chosen.entry === undefined)
    throw new FerryError("auth", `not logged in to ${chosenName(chosen)}`, {
      hint: `${loginAt(chosen.url)}${chosen.beside === true ? "; FERRY_API_KEY is for FERRY_HOST alone" : ", or set FERRY_API_KEY"}`,
    });
  const credentials = credentialsOf(context);
  return {
    value: await credentials.read(chosen.entry),
    source: credentials.place(chosen.entry.store),
    remedy: `log in again: ${loginAt(chosen.url)}`,
  };
}

/** @throws FerryError usage where there is a key in the environment that nobody knows a host for */
function requirePlace({ env }: Host, { named }: ChosenHost): void {
  if (named || (env["FERRY_API_KEY"] ?? "") === "") return;
  throw new FerryError("usage", "FERRY_API_KEY is set, but no host for it", { hint: "set FERRY_HOST" });
}
