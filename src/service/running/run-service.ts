import { join } from "node:path";
import type { Host } from "../../host/host.ts";
import { modelVariables } from "../agent/key-file.ts";
import { type App, makeApp } from "../app.ts";
import type { Portal } from "../handlers/handler.ts";
import { type KeyEnds, makeKeyEnds } from "../keys/key-ends.ts";
import { makeSealer, type Sealer } from "../keys/seal.ts";
import { type Listener, listen, type Place } from "../listen.ts";
import { type Log, makeLog } from "../log.ts";
import { namesOf, type SiteNames } from "../reach/names.ts";
import { isShared, type Reach } from "../reach/reach.ts";
import type { Sessions } from "../session/sessions.ts";
import { openSqlStore } from "../store/sql-store.ts";
import { openSqlite } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { logConsole } from "./console-log.ts";
import { type Activity, untilIdle } from "./idle.ts";
import { localUser, newWorkspace, provideKey, provideOrigin, provideSealKey } from "./local-user.ts";
import { ownerOf, takeLock } from "./lock.ts";
import { makeLocalSite } from "./local-site.ts";
import { withRequestLog } from "./request-log.ts";
import { placeSocket } from "./socket.ts";
import { Undo } from "./undo.ts";

export type ServiceHost = Pick<
  Host,
  "env" | "platform" | "pid" | "uid" | "version" | "clock" | "random" | "files" | "processes" | "interrupt" | "takeConsole"
>;

export interface ServiceSettings {
  /** The data folder, an absolute path. */
  readonly data: string;
  /** Where to listen beside the socket. */
  readonly tcp?: Reach | undefined;
  /** The agent of sessions that name none, where the user said one. */
  readonly agent?: string | undefined;
  /** What locks its agents in. */
  readonly sandbox: string;
  /** After how many ms with nothing to do it stops by itself; never where there is none. */
  readonly idle?: number | undefined;
  /** Takes the lines of the log. */
  readonly write: (line: string) => void;
  readonly makeSessions: (store: Store, sealer: Sealer, log: Log) => Sessions;
}

export interface RunningService {
  readonly data: string;
  readonly socket: string;
  /** What locks its agents in. */
  readonly sandbox: string;
  /** What it is called where it listens there too, an origin. */
  readonly address: string | undefined;
  /** Resolves when it has stopped: told to, interrupted, or idle. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the service over one data folder, which is made where it is missing, until it is stopped. When this resolves, it can be
 * called, and `service.json` says where.
 * @throws FerryError unavailable where another service has the folder, failure where the folder or database can't be used
 */
export async function runService(settings: ServiceSettings, host: ServiceHost): Promise<RunningService> {
  const undo = new Undo();
  const log = makeLog(settings.write, host.clock);
  undo.add(host.takeConsole(logConsole(log, host.clock)));
  try {
    return await start(settings, host, undo, log);
  } catch (error) {
    await undo.run();
    throw error;
  }
}

async function start(settings: ServiceSettings, host: ServiceHost, undo: Undo, log: Log): Promise<RunningService> {
  const { data } = settings;
  await host.files.makeFolder(data, 0o700);
  const socket = await placeSocket(data, host);
  undo.add(await takeLock(join(data, "service.lock"), host));
  const reach = settings.tcp ?? { address: "127.0.0.1", port: 0 };
  const site: { names: SiteNames } = { names: { url: "", originOf: () => undefined } };
  const portal = { url: () => site.names.url, login: settings.tcp !== undefined };
  const { app, sessions, ...identity } = await assemble({ ...settings, portal }, host, undo, log);

  let requests = 0;
  const listeners: Listener[] = [];
  const open = async (place: Place, answer: App): Promise<Listener> => {
    const logged = withRequestLog(answer, log, host.clock);
    const counted: App = (request, peer) => {
      requests += 1;
      // Each request has the proxy's address.
      return logged(request, reach.proxy === undefined ? peer : undefined);
    };
    const listener = await listen(counted, place, host.clock);
    undo.add(() => listener.close());
    listeners.push(listener);
    return listener;
  };
  await open({ socket }, app);
  const api = settings.tcp === undefined ? undefined : app;
  const pages = await makeLocalSite({ data, ...identity, log, api, names: () => site.names, shared: isShared(reach) }, host);
  undo.add(pages.remove);
  const bound = (await open(reach, pages.site)).address;
  site.names = namesOf(reach, bound);
  const models = modelVariables(host.env);
  await announce(
    data,
    { socket, portal_address: portal.url(), agent: settings.agent ?? null, sandbox: settings.sandbox, models },
    host,
    undo,
  );
  const address = settings.tcp === undefined ? undefined : portal.url();
  log.info("listening", { socket, portal: portal.url(), address: address === undefined ? null : bound });

  const activity = { busy: () => sessions.busy() || listeners.some((listener) => listener.open() > 0), done: () => requests };
  const asked = new AbortController();
  const ended = untilStopped({ ...settings, activity, asked: asked.signal }, host, undo, log);
  const stop = (): Promise<void> => {
    asked.abort();
    return ended;
  };
  return { data, socket, sandbox: settings.sandbox, address, ended, stop };
}

/** Store, engine and HTTP interface over the data folder. */
async function assemble(
  settings: ServiceSettings & { readonly portal: Portal },
  host: ServiceHost,
  undo: Undo,
  log: Log,
): Promise<{ app: App; sessions: Sessions; store: Store; keyEnds: KeyEnds; ownKeyId: string }> {
  const { data, portal } = settings;
  const database = openSqlite(join(data, "ferry.db"));
  undo.add(() => database.destroy());
  const store = await openSqlStore(database, () => newWorkspace(host));
  // While it was down, its port may have been another user's, and a page that was open there has told that one its sign-in.
  await store.logins.endSignIns();
  await provideOrigin(data, host);
  const ownKeyId = await provideKey(data, store, host);
  const sealer = makeSealer(await provideSealKey(data, host), host.random);
  const sessions = settings.makeSessions(store, sealer, log);
  await sessions.start();
  undo.add(() => sessions.stop());
  const { clock, random, version } = host;
  const keyEnds = makeKeyEnds(store.keys, clock, ownKeyId);
  const app = makeApp({ store, keyEnds, sessions, sealer, clock, random, version, log, portal, owner: localUser });
  return { app, sessions, store, keyEnds, ownKeyId };
}

/** What `service.json` says beside whose it is. */
interface Announcement {
  readonly socket: string;
  readonly portal_address: string;
  readonly agent: string | null;
  readonly sandbox: string;
  /** What its environment says of models' providers, which a later shell's may not. */
  readonly models: Readonly<Record<string, string>>;
}

/** Tells clients where the service is: only once it can be called. */
async function announce(data: string, where: Announcement, host: ServiceHost, undo: Undo): Promise<void> {
  const path = join(data, "service.json");
  const { pid, start_time } = await ownerOf(host);
  await host.files.write(path, JSON.stringify({ pid, start_time, ...where, version: host.version }), 0o600);
  undo.add(() => host.files.remove(path));
}

interface Stopping {
  readonly idle?: number | undefined;
  readonly activity: Activity;
  /** Aborted when `stop` is called. */
  readonly asked: AbortSignal;
}

async function untilStopped({ idle, activity, asked }: Stopping, host: ServiceHost, undo: Undo, log: Log): Promise<void> {
  const over = new AbortController();
  const heard = (signal: AbortSignal, reason: string) => aborted(signal, over.signal).then(() => reason);
  const reasons = [heard(asked, "asked to"), heard(host.interrupt, "interrupted")];
  if (idle !== undefined) reasons.push(untilIdle(activity, idle, host.clock, over.signal).then(() => "nothing to do"));
  const reason = await Promise.race(reasons);
  over.abort();
  log.info("stopping", { reason });
  await undo.run();
  log.info("stopped");
}

/** Resolves when the signal aborts; no longer listens once `over` did. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
}
