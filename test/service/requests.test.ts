import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeApp } from "../../src/service/app.ts";
import { contract } from "../../src/wire/contract.ts";
import { type RouteName, routes } from "../../src/wire/routes.ts";
import { type AskService, makeAsk, makeRequest } from "../support/api.ts";
import { makeTestService, type TestService } from "../support/service.ts";

let service: TestService;
let ask: AskService;
beforeAll(async () => {
  service = await makeTestService();
  ask = makeAsk(service);
});
afterAll(() => service.close());

const names = Object.keys(routes) as RouteName[];
const params = { providerId: "prv_none", id: "rep_none", sessionId: "ses_none", keyId: "key_none" };
const get = (path: string, init: RequestInit = {}) => service.app(new Request(`http://service.test${path}`, init));

describe("addresses", () => {
  test.each(names.filter((name) => routes[name].path.includes("{") && !/Analy|analy|Schedule/u.test(name)))(
    "%s of something that isn't there is 404",
    async (name) => {
      const body: Partial<Record<RouteName, unknown>> = {
        closeSession: { outcome: "closed" },
        sendMessage: { message: "hi" },
        updateRepository: { enabled: true },
      };
      const { status, body: said } = await ask(name, {
        params,
        body: "body" in contract[name] ? (body[name] ?? {}) : undefined,
      });
      expect(status).toBe(404);
      expect(said).toEqual({
        error: expect.stringMatching(/^there is no (code provider|repository|session|API key) \w+_none$/u) as string,
      });
    },
  );

  test.each(["/api/v1/nothing", "/api/v1/sessions/", "/api/v2/sessions", "/", "/api/v1/sessions//events"])(
    "%s is 404",
    async (path) => {
      const response = await get(path, { headers: { "x-api-key": service.key } });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: "there is nothing at this address" });
    },
  );

  test.each([
    ["PUT", "/api/v1/sessions", "POST, GET, HEAD"],
    ["DELETE", "/api/v1/sessions/ses_1", "GET, PATCH, HEAD"],
    ["GET", "/api/v1/sessions/ses_1/messages", "POST"],
    ["POST", "/healthz", "GET, HEAD"],
  ])("%s %s is 405 with Allow", async (method, path, allow) => {
    const response = await get(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toEqual({ error: `the method must be one of ${allow}` });
  });

  test("an id that ought to be an escape sequence is shown harmless", async () => {
    const { body } = await ask("readSession", { params: { sessionId: "\u001b[31mx".padEnd(300, "y") } });
    expect(body).toEqual({ error: expect.stringMatching(/^there is no session ␛\[31mxy+…$/u) as string });
  });
});

describe("bodies", () => {
  const send = (body: string | Uint8Array, type: string | undefined = "application/json") =>
    get("/api/v1/sessions", {
      method: "POST",
      headers: { "x-api-key": service.key, ...(type !== "" && { "content-type": type }) },
      body,
    });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])("of type %s are 415", async (type) => {
    const response = await send("{}", type);
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({ error: "the body must be of content type application/json" });
  });

  test("that are compressed are 415", async () => {
    const reply = await ask("createSession", { body: "\u001f\u008b", headers: { "content-encoding": "gzip" } });
    expect(reply).toMatchObject({ status: 415, body: { error: "the body must not be compressed" } });
  });

  test("the type may have parameters and any case", async () => {
    expect((await send('{"x":1}', "Application/JSON; charset=utf-8")).status).toBe(400);
  });

  test.each([
    ["cut JSON", '{"title":'],
    ["no UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
  ])("with %s are 400", async (_, body) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      statusCode: 400,
      code: "malformed_json",
      error: "Bad Request",
      message: "the body is not JSON in UTF-8",
    });
  });

  test("over 1 MiB are 413, whether or not their length was said", async () => {
    const chunk = new Uint8Array(600_000).fill(0x20);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(chunk);
        controller.enqueue(chunk);
        controller.close();
      },
    });
    const unsaid = new Request("http://service.test/api/v1/sessions", {
      method: "POST",
      headers: { "x-api-key": service.key, "content-type": "application/json" },
      body: stream,
      duplex: "half",
    });
    const said = makeRequest("createSession", { key: service.key, body: "{}", headers: { "content-length": "1048577" } });
    for (const request of [unsaid, said]) {
      const response = await service.app(request);
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({ error: "the body is larger than 1 MiB" });
    }
  });

  test("a message of just under 1 MiB is taken", async () => {
    expect((await ask("sendMessage", { params, body: { message: "x".repeat(1024 * 1024 - 100) } })).status).toBe(404);
  });

  test.each<[RouteName, unknown, string]>([
    ["createSession", { titel: "x" }, "titel: is not a known field"],
    ["createSession", [], "the body: expected object, received array"],
    [
      "createSession",
      { auto_commit: "yes", model: 1 },
      "auto_commit: expected boolean, received string; model: expected string, received number",
    ],
    ["createSession", { branch_name: "-x" }, "branch_name: is no branch name"],
    ["createSession", { base_commit: "HEAD" }, "base_commit: is no full commit id"],
    ["createSession", { title: "a\0b" }, "title: must not hold the character NUL"],
    ["sendMessage", {}, "message: is required"],
    ["sendMessage", { message: "" }, "message: must not be empty"],
    ["closeSession", { outcome: "done" }, 'outcome: Invalid option: expected one of "finished"|"closed"'],
    [
      "createProvider",
      {
        platform: "gitlab",
        name: "x",
        base_url: "ftp://x",
        metadata: { type: "gitlab_personal_access_token", token: "t", x: 1 },
      },
      "base_url: Invalid URL; metadata.x: is not a known field",
    ],
    ["updateRepository", {}, "enabled: is required"],
    ["createKey", { name: "n".repeat(101), scopes: [] }, "name: is longer than 100 characters; scopes: must not be empty"],
    ["updateSchedule", { budget: { run: 0 } }, "budget.run: must be more than 0"],
  ])("%s with %j: %s", async (name, body, message) => {
    const reply = await ask(name, { params, body });
    expect(reply).toMatchObject({ status: 400, body: { statusCode: 400, error: "Bad Request", message } });
  });

  test("none where every field is optional", async () => {
    expect(await ask("cancelSession", { params })).toMatchObject({ status: 404 });
    expect(await ask("sendMessage", { params })).toMatchObject({ status: 400, body: { message: "message: is required" } });
  });
});

describe("queries", () => {
  test.each<[RouteName, string, string]>([
    ["listSessions", "limit=0", "limit: is less than 1"],
    ["listSessions", "limit=201", "limit: is more than 200"],
    ["listSessions", "limit=ten", "limit: expected number, received NaN"],
    ["listSessions", "limit=1&limit=2", "limit: is given more than once"],
    ["listSessions", "status=open", 'status: Invalid option: expected one of "active"|"finished"|"closed"|"merged"|"failed"'],
    ["listSessions", "page=2", "page: is not a known field"],
    [
      "listSessions",
      "include=mr_pipeline_summary,mr",
      "include: there is no computed field of that name, only mr_pipeline_summary",
    ],
    ["listRepositories", "cursor=x", "cursor: is not one that this service gave"],
    ["readEvents", "after=-1", "after: is less than 0"],
  ])("%s?%s is 400", async (name, query, message) => {
    const path = routes[name].path.replace(/\{\w+\}/u, "ses_none");
    const response = await get(`${path}?${query}`, { headers: { "x-api-key": service.key } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: 400, message });
  });
});

test.each<[RouteName, string]>([
  ["analyzeRepository", "this service can't analyze repositories yet"],
  ["readAnalysis", "this service can't analyze repositories yet"],
  ["listSchedules", "this service can't run agents on a schedule yet"],
  ["runSchedule", "this service can't run agents on a schedule yet"],
])("%s is 501: not built yet, nothing made up", async (name, error) => {
  expect(await ask(name, { params })).toMatchObject({ status: 501, body: { error } });
});

test("what fails unexpectedly is 500 without a word of why, and logged", async () => {
  const broken = new Error("SQLITE_IOERR: disk I/O error at /secret/path");
  const sessions = { ...service.sessions, update: () => Promise.reject(broken) };
  const failing = makeAsk({ app: makeApp({ ...service.deps, sessions }), key: service.key });
  expect(await failing("updateSession", { params, body: {} })).toMatchObject({
    status: 500,
    body: { error: "the service failed; its log says why" },
  });
  expect(service.errors).toEqual([broken]);
});

test("HEAD is GET without the body, and never opens a stream", async () => {
  const response = await get("/api/v1/cli", {
    method: "HEAD",
    headers: { "x-api-key": service.key, accept: "text/event-stream" },
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("answers may not be kept by anyone on the way", async () => {
  const { headers } = await ask("readCli");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

describe("without a key", () => {
  test("/healthz", async () => {
    const response = await get("/healthz");
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  });

  test("the OpenAPI document, which is valid and has every operation", async () => {
    const response = await get("/api/v1/openapi.json");
    const document = (await response.json()) as {
      openapi: string;
      info: object;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } });
    const verdict = await new Validator().validate(structuredClone(document));
    expect(verdict).toEqual({ valid: true });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(operations.sort()).toEqual([...names].sort());
  });
});
