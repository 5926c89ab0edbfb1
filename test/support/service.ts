import { randomBytes } from "node:crypto";
import { type App, makeApp } from "../../src/service/app.ts";
import type { Deps } from "../../src/service/handlers/handler.ts";
import { mintApiKey } from "../../src/service/keys/api-key.ts";
import { makeKeyEnds } from "../../src/service/keys/key-ends.ts";
import { hashSecret } from "../../src/service/keys/secret.ts";
import { makeSealer } from "../../src/service/keys/seal.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";
import type { KeyRecord, Store, UserRecord } from "../../src/service/store/store.ts";
import { makeId } from "../../src/base/ids.ts";
import type { Send, SendResponse } from "../../src/host/host.ts";
import { makeTestClock, type TestClock } from "./clock.ts";
import { makeScriptedSessions, type ScriptedSessions } from "./sessions.ts";

/** The embedded service in process: the real HTTP interface over a real database, with a session engine that the test steers. */
export interface TestService {
  readonly app: App;
  /** The service as the client's transport sees it; any origin will do. */
  readonly send: Send;
  readonly store: Store;
  readonly sessions: ScriptedSessions;
  readonly clock: TestClock;
  readonly deps: Deps;
  /** A key with every scope, which is the service's own, and its id. */
  readonly key: string;
  readonly ownKeyId: string;
  readonly user: UserRecord;
  /** Lines of the service's log that tell of an error. */
  readonly errors: readonly unknown[];
  /** Another key of the same user. */
  makeKey(change?: Partial<KeyRecord>): Promise<string>;
  close(): Promise<void>;
}

export async function makeTestService(): Promise<TestService> {
  const clock = makeTestClock();
  const random = (size: number) => randomBytes(size);
  const store = await openSqlStore(openSqlite(":memory:"), () => ({ id: makeId("wsp", random), name: "test" }));
  const user = { id: makeId("usr", random), name: "Ada", email: "ada@example.com" };
  await store.keys.insertUser(user);
  const sessions = makeScriptedSessions(store, clock, random);
  const errors: unknown[] = [];
  const log: Deps["log"] = { info: () => undefined, error: (_message, error) => void errors.push(error) };
  const ownKeyId = makeId("key", random);
  const keyEnds = makeKeyEnds(store.keys, clock, ownKeyId);
  const sealer = makeSealer(random(32), random);
  const deps: Deps = { store, keyEnds, sessions, sealer, clock, random, version: "0.0.0", log };
  const app = makeApp(deps);

  async function makeKey(change: Partial<KeyRecord> = {}): Promise<string> {
    const key = mintApiKey(random);
    await store.keys.insert({
      id: makeId("key", random),
      name: "test",
      user_id: user.id,
      hash: hashSecret(key),
      scopes: ["all:all"],
      expires_at: null,
      revoked_at: null,
      created_at: new Date(clock.now()).toISOString(),
      ...change,
    });
    return key;
  }

  const key = await makeKey({ id: ownKeyId });
  const send = sendTo(app);
  return { app, send, store, sessions, clock, deps, key, ownKeyId, user, errors, makeKey, close: () => store.close() };
}

/** A function of the web's Request and Response as the transport of `host.ts`. */
export function sendTo(app: App): Send {
  return async ({ method, url, headers, body, signal }): Promise<SendResponse> => {
    const init = { method, headers: { ...headers }, ...(body !== undefined && { body }), ...(signal && { signal }) };
    const response = await app(new Request(url, init));
    const reader = response.body?.getReader();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: chunks(reader),
      cancel: async () => reader?.cancel(),
    };
  };
}

async function* chunks(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true as const, value: undefined };
    if (done) return;
    yield value;
  }
}
