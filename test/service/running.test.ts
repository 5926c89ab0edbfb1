import { once } from "node:events";
import { createServer, type IncomingMessage, request, type RequestOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { readdir, readFile, stat, writeFile, mkdir, chmod, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { untilIdle } from "../../src/service/running/idle.ts";
import { openSqlStore } from "../../src/service/store/sql-store.ts";
import { openSqlite } from "../../src/service/store/sqlite.ts";
import { makeTestClock } from "../support/clock.ts";
import { makeServicePlace, type ServicePlace } from "../support/service-host.ts";

let place: ServicePlace;
beforeEach(async () => {
  place = await makeServicePlace();
});
afterEach(() => place.leave());

const at = (name: string) => join(place.data, name);
const mode = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

describe("a service that runs", () => {
  test("says in service.json where it is, and answers there with the key of the folder", async () => {
    const service = await place.run();
    expect(JSON.parse(await readFile(at("service.json"), "utf8"))).toEqual({
      agent: null,
      models: {},
      pid: process.pid,
      start_time: await place.host.processes.startTime(process.pid),
      socket: service.socket,
      portal_address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) as string,
      version: "1.2.3",
      sandbox: expect.any(String) as string,
    });
    const answer = await get(service.socket, "/api/v1/cli", await readFile(at("key"), "utf8"));
    expect(answer).toMatchObject({ status: 200, body: { user: { id: "usr_local", name: "ada" }, key: { scopes: ["all:all"] } } });
  });

  test("knows no browser any more that was signed in before", async () => {
    await (await place.run()).stop();
    const database = openSqlite(at("ferry.db"));
    const store = await openSqlStore(database, () => ({ id: "wsp_1", name: "local" }));
    const signIn = { hash: "s1", user_id: "usr_local", expires_at: "2999-01-01T00:00:00.000Z" };
    await store.logins.insertSignIn(signIn);
    await (await place.run()).stop();
    expect(await store.logins.findSignIn("s1")).toBeUndefined();
    await database.destroy();
  });

  test("keeps everything in the folder to this user", async () => {
    const service = await place.run();
    expect(await mode(place.data)).toBe("700");
    for (const path of [at("key"), at("seal"), at("origin"), at("sign-in"), at("service.json"), service.socket])
      expect(await mode(path)).toBe("600");
  });

  test("listens on loopback TCP too when asked to", async () => {
    const service = await place.run({ tcp: { address: "127.0.0.1", port: 0 } });
    expect(service.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect((await fetch(`${service.address ?? ""}/healthz`)).status).toBe(200);
    const renamed = request(`${service.address ?? ""}/healthz`, { headers: { host: "evil.example" } }).end();
    const [refusal] = (await once(renamed, "response")) as [IncomingMessage];
    refusal.resume();
    expect(refusal.statusCode).toBe(421);
  });

  test("logs what changed something or was refused, without the query, and no read that went well", async () => {
    const service = await place.run();
    const key = await readFile(at("key"), "utf8");
    await get(service.socket, "/api/v1/sessions?user_id=secret", key);
    await get(service.socket, "/api/v1/sessions?user_id=secret&limit=0", key);
    await post(service.socket, "/api/v1/sessions", key, {});
    const requests = place.log
      .map((line) => JSON.parse(line) as { message: string })
      .filter(({ message }) => message === "request");
    expect(requests).toMatchObject([
      { method: "GET", path: "/api/v1/sessions", status: 400, ms: expect.any(Number) as number },
      { method: "POST", path: "/api/v1/sessions", status: 422 },
    ]);
    expect(place.log.join("")).not.toContain("secret");
  });

  test("never writes a key into its log", async () => {
    const service = await place.run();
    const key = await readFile(at("key"), "utf8");
    await get(service.socket, "/api/v1/nothing", key);
    await service.stop();
    expect(place.log.length).toBeGreaterThan(1);
    expect(place.log.join("")).not.toContain(key);
    for (const line of place.log) expect(JSON.parse(line)).toMatchObject({ level: "info", time: expect.any(String) as string });
  });
});

describe("its end", () => {
  test("leaves no lock, socket or service.json behind, and the data for the next", async () => {
    const first = await place.run();
    const key = await readFile(at("key"), "utf8");
    const origin = await readFile(at("origin"), "utf8");
    const body = { name: "a", full_name: "a/a", clone_url: "/srv/a.git", platform: "git" };
    expect(await post(first.socket, "/api/v1/repositories", key, body)).toMatchObject({ status: 201 });
    await first.stop();
    expect((await readdir(place.data)).filter((name) => !name.startsWith("ferry.db")).sort()).toEqual(["key", "origin", "seal"]);

    const second = await place.run();
    expect(await readFile(at("key"), "utf8")).toBe(key);
    expect(await readFile(at("origin"), "utf8")).toBe(origin);
    expect(await get(second.socket, "/api/v1/repositories", key)).toMatchObject({
      body: { items: [{ clone_url: "/srv/a.git" }] },
    });
  });

  test("comes with the interrupt", async () => {
    const interrupt = new AbortController();
    const service = await place.run({}, { interrupt: interrupt.signal });
    interrupt.abort();
    await service.ended;
    expect(place.log.some((line) => line.includes('"reason":"interrupted"'))).toBe(true);
  });

  test("comes when there was nothing to do", async () => {
    const service = await place.run({ idle: 1 });
    await service.ended;
    expect(place.log.some((line) => line.includes('"reason":"nothing to do"'))).toBe(true);
  });
});

describe("a second service on the folder", () => {
  test("is refused with the pid of the first", async () => {
    await place.run();
    await expect(place.run()).rejects.toMatchObject({
      kind: "unavailable",
      message: `another service (process ${process.pid}) has this data folder: ${at("service.lock")}`,
    });
  });

  test("of several that start at once, one runs", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => place.run()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.each([
    ["a dead process", JSON.stringify({ pid: 2 ** 22 + 1, start_time: "1" })],
    ["another process that had our pid", JSON.stringify({ pid: process.pid, start_time: "long ago" })],
    ["nobody", "garbage"],
    ["nobody in JSON", '{"pid":null,"start_time":5}'],
  ])("a lock of %s is taken over", async (_, lock) => {
    await mkdir(place.data, { mode: 0o700 });
    await writeFile(at("service.lock"), lock);
    await place.run();
    expect(JSON.parse(await readFile(at("service.lock"), "utf8"))).toMatchObject({ pid: process.pid });
  });

  test("a lock that says nothing is one that is being written, unless it is old", async () => {
    await mkdir(place.data, { mode: 0o700 });
    await writeFile(at("service.lock"), "");
    await expect(place.run()).rejects.toMatchObject({ kind: "unavailable" });
    await utimes(at("service.lock"), 1, 1);
    await place.run();
  });
});

describe("a start that fails", () => {
  test("names a database that is none, and gives the folder free", async () => {
    await mkdir(place.data, { mode: 0o700 });
    await writeFile(at("ferry.db"), "not a database, and long enough to be seen as none".repeat(100));
    await expect(place.run()).rejects.toMatchObject({
      kind: "failure",
      message: expect.stringContaining(`the service's database can't be opened: ${at("ferry.db")}: `) as string,
    });
    expect(await readdir(place.data)).not.toContain("service.lock");
  });

  test("on a port that is taken gives everything free that it had", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(place.run({ tcp: { address: "127.0.0.1", port } })).rejects.toMatchObject({ kind: "unavailable" });
    other.close();
    expect((await readdir(place.data)).filter((name) => !name.startsWith("ferry.db")).sort()).toEqual(["key", "origin", "seal"]);
    await place.run();
  });

  test("refuses a folder that others can open", async () => {
    await mkdir(place.data);
    await chmod(place.data, 0o755);
    await expect(place.run()).rejects.toMatchObject({
      kind: "failure",
      hint: `make it so (chmod go= ${place.data}), or remove it`,
    });
  });

  test("refuses a seal that was damaged", async () => {
    await mkdir(place.data, { mode: 0o700 });
    await writeFile(at("seal"), "short");
    await expect(place.run()).rejects.toMatchObject({ message: `the key for stored tokens is damaged: ${at("seal")}` });
  });
});

test("a key file that was lost, or that is no key, is made again", async () => {
  await (await place.run()).stop();
  await writeFile(at("key"), "ferry_nonsense");
  const service = await place.run();
  expect((await get(service.socket, "/api/v1/cli", await readFile(at("key"), "utf8"))).status).toBe(200);
});

test("where the folder's path is too long for a socket, it lies in a private folder of the runtime directory", async () => {
  const runtime = join(place.data, "..", "run");
  const data = join(place.data, "d".repeat(100));
  await mkdir(runtime);
  const service = await place.run({ data }, { env: { XDG_RUNTIME_DIR: runtime } });
  expect(service.socket).toMatch(/\/run\/ferry-[0-9a-f]{16}\/ferry\.sock$/u);
  expect(await mode(join(service.socket, ".."))).toBe("700");
  expect((await get(service.socket, "/healthz")).status).toBe(200);
});

test("idle is an hour without a request and without anything going on", async () => {
  const clock = makeTestClock();
  let busy = false;
  let done = 0;
  let idle = false;
  const minute = async () => {
    clock.advance(60_000);
    await new Promise(setImmediate);
  };
  const stopped = new AbortController();
  void untilIdle({ busy: () => busy, done: () => done }, 3_600_000, clock, stopped.signal).then(() => (idle = true));
  for (let passed = 0; passed < 59; passed++) await minute();
  done += 1;
  for (let passed = 0; passed < 60; passed++) await minute();
  busy = true;
  await minute();
  busy = false;
  for (let passed = 0; passed < 59; passed++) await minute();
  expect(idle).toBe(false);
  await minute();
  expect(idle).toBe(true);
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function get(socketPath: string, path: string, key = ""): Promise<Answer> {
  return exchange({ socketPath, path, headers: { ...(key !== "" && { "x-api-key": key }) } });
}

function post(socketPath: string, path: string, key: string, body: unknown): Promise<Answer> {
  return exchange(
    { socketPath, path, method: "POST", headers: { "x-api-key": key, "content-type": "application/json" } },
    JSON.stringify(body),
  );
}

function exchange(options: RequestOptions, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () =>
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
