import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeNetwork } from "../../src/host/network.ts";
import type { ConfiguredAgent } from "../../src/service/agent/installed/configured.ts";
import type { PermissionPolicy } from "../../src/service/agent/ask/permission.ts";
import { readSignIn } from "../../src/service/agent/sign-in/store.ts";
import { makeAgents } from "../../src/service/agent/agents.ts";
import { type Reach, systemReach } from "../../src/service/agent/gateway/tunnels.ts";
import { makeGateways } from "../../src/service/agent/gateway/gateways.ts";
import { makeId } from "../../src/base/ids.ts";
import { makeGit } from "../../src/git/runner.ts";
import type { Clock } from "../../src/host/host.ts";
import { systemClock } from "../../src/host/clock.ts";
import { systemFiles as files } from "../../src/host/files.ts";
import { makeProcesses } from "../../src/host/processes.ts";
import type { SandboxDriver } from "../../src/service/sandbox/driver.ts";
import { type InsideNode, nodeMount } from "../../src/service/sandbox/node-mount.ts";
import { makeDrivers } from "../../src/service/sandbox/registry.ts";
import { makeSealer } from "../../src/service/keys/seal.ts";
import { defaultLimits, type SessionLimits, type SessionsDeps } from "../../src/service/session/deps.ts";
import { makeSessions } from "../../src/service/session/engine.ts";
import type { Sessions, StreamItem } from "../../src/service/session/sessions.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";
import type { Store, UserRecord } from "../../src/service/store/store.ts";
import type { ParsedBodyOf } from "../../src/wire/contract.ts";
import type { SessionEvent } from "../../src/wire/event.ts";
import type { Repository, Session } from "../../src/wire/resources.ts";
import { makeFolder } from "./git.ts";
import { machine } from "./sandbox.ts";
import { eventsOf } from "./events-of.ts";

/** The session engine on this machine: real git, a real database, real agents in real sandboxes. */
export interface TestEngine {
  readonly sessions: Sessions;
  readonly store: Store;
  readonly deps: SessionsDeps;
  readonly data: string;
  readonly user: UserRecord;
  /** Lines of the service's log. */
  readonly log: readonly string[];
  /** Registers a repository by its path, once. */
  register(path: string, change?: Partial<Repository>): Promise<Repository>;
  /** A code provider with its token; gives its id. */
  provide(baseUrl: string, token: string): Promise<string>;
  /** A session on it, auto_commit on. */
  start(repository: Repository, change?: Partial<ParsedBodyOf<"createSession">>): Promise<Session>;
  post(session: Session, message: string): Promise<SessionEvent>;
  /** The items of the session's stream up to the first one that satisfies. */
  until(session: Session, satisfied: (item: StreamItem) => boolean): Promise<StreamItem[]>;
  /** Posts and waits until the agent rests; the session then. */
  work(session: Session, message: string): Promise<Session>;
  events(session: Session): Promise<SessionEvent[]>;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly driver?: SandboxDriver["name"] | SandboxDriver;
  /** An existing data folder: a service that starts again. */
  readonly data?: string;
  readonly limits?: Partial<SessionLimits>;
  /** The service's environment, as far as agents are set up by it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: PermissionPolicy;
  readonly configured?: readonly ConfiguredAgent[];
  readonly clock?: Clock;
  /** The way from sandboxes to other machines. */
  readonly reach?: Reach;
  /** The Node of the sandboxes, where it isn't this one. */
  readonly node?: InsideNode | undefined;
  /** Where the agents' programs are. */
  readonly programs?: Readonly<Record<string, string>>;
}

const processes = makeProcesses(process.env, process.platform);

export function driverNamed(name: SandboxDriver["name"]): SandboxDriver {
  const drivers = makeDrivers({ clock: systemClock, env: machine.env, platform: process.platform, processes });
  const driver = drivers.find((candidate) => candidate.name === name);
  if (driver === undefined) throw new Error(`there is no driver ${name}`);
  return driver;
}

/** The bundles that users get; the test run has built them. */
export const dist = fileURLToPath(new URL("../../dist", import.meta.url));

export async function makeTestEngine({
  driver = "process",
  data,
  limits = {},
  env = {},
  programs = {},
  permissions = "allow",
  configured = [],
  node,
  clock = systemClock,
  reach = systemReach,
}: EngineOptions = {}): Promise<TestEngine> {
  const folder = data === undefined ? makeFolder("ferry-engine-") : { path: data, remove: () => undefined };
  const host = { clock, random: (size: number) => randomBytes(size), files, version: "0.0.0" };
  const store = await openSqlStore(openSqlite(join(folder.path, "ferry.db")), () => ({
    id: makeId("wsp", host.random),
    name: "test",
  }));
  const log: string[] = [];
  const sealer = makeSealer(randomBytes(32), randomBytes);
  const agentPlace = {
    dist,
    node: node ?? (await nodeMount(process.execPath)),
    ownPrograms: node !== undefined,
    find: (program: string) => Promise.resolve(programs[program]),
    secret: (variable: string) => Promise.resolve(env[variable]),
    signIn: (agent: string) => readSignIn(files, folder.path, agent),
    permissions: () => Promise.resolve(permissions),
  };
  const deps: SessionsDeps = {
    store,
    sealer,
    driver: typeof driver === "string" ? driverNamed(driver) : driver,
    git: makeGit({ env: process.env, platform: process.platform, processes }),
    host,
    data: folder.path,
    owner: "test",
    place: agentPlace,
    agents: makeAgents(agentPlace, () => Promise.resolve(configured)),
    gateways: makeGateways(join(folder.path, "gateways"), makeNetwork({}).send, reach),
    model: "shell",
    limits: { ...defaultLimits, sandbox: { ...defaultLimits.sandbox, memoryMB: 1024 }, ...limits },
    log: (line) => void log.push(line),
  };
  const user = (await store.keys.findUser("usr_test")) ?? { id: "usr_test", name: "Ada Lovelace", email: "ada@example.com" };
  if ((await store.keys.findUser(user.id)) === undefined) await store.keys.insertUser(user);
  const sessions = makeSessions(deps);
  await sessions.start();

  const engine: TestEngine = {
    sessions,
    store,
    deps,
    data: folder.path,
    user,
    log,
    async register(path, fields = {}) {
      const known = await store.repositories.findByPlace(path);
      if (known !== undefined) return known;
      const at = new Date(systemClock.now()).toISOString();
      const repository: Repository = {
        id: makeId("rep", host.random),
        workspace_id: store.workspace.id,
        code_provider_id: "",
        name: "repo",
        full_name: "test/repo",
        clone_url: path,
        default_branch: "",
        platform: "git",
        external_id: "",
        enabled: true,
        webhooks_registered: false,
        analysis_status: "pending",
        created_at: at,
        updated_at: at,
        ...fields,
      };
      await store.repositories.insert(repository);
      return repository;
    },
    async provide(base_url, token) {
      const id = makeId("prv", host.random);
      const at = new Date(systemClock.now()).toISOString();
      const known = { workspace_id: store.workspace.id, user_id: user.id, platform: "gitlab" as const, name: "gitlab", base_url };
      const sealed = { sealed_token: sealer.seal(token, id), token_hint: "…" };
      await store.providers.insert({ id, ...known, ...sealed, created_at: at, updated_at: at });
      return id;
    },
    start: (repository, fields = {}) => sessions.create({ repository_id: repository.id, auto_commit: true, ...fields }, user),
    post: (session, message) => sessions.post(session.id, { message, client_id: "" }, user),
    async until(session, satisfied) {
      const over = new AbortController();
      const items: StreamItem[] = [];
      for await (const item of sessions.follow(session.id, 0, over.signal)) {
        items.push(item);
        if (satisfied(item)) break;
      }
      over.abort();
      return items;
    },
    async work(session, message) {
      const { id } = await engine.post(session, message);
      await engine.until(
        session,
        (item) => item.type === "session_event" && item.event.id === id && item.event.status === "completed",
      );
      // The event and the session's fields are written as one.
      const after = await store.sessions.find(session.id);
      if (after === undefined) throw new Error("the session is gone");
      return after;
    },
    events: (session) => eventsOf(store, session.id),
    async close() {
      await sessions.stop();
      await store.close();
      folder.remove();
    },
  };
  return engine;
}
