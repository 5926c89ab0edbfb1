import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import type { Client } from "../../../src/client/client.ts";
import { forgetfulMemory } from "../../../src/client/memory.ts";
import type { ClientOptions } from "../../../src/client/options.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeScriptedSend, type Step } from "../../support/scripted-send.ts";

const params = { sessionId: "ses_1" };
const session = { body: { id: "ses_1" } };

function play(steps: readonly Step[], change: Partial<ClientOptions> = {}) {
  const clock = makeIdleClock();
  const script = makeScriptedSend(...steps);
  // The whole of each wait, not a part of it by chance.
  const client = makeTestClient(script.send, { clock, random: (size) => new Uint8Array(size).fill(255), ...change });
  return { client, clock, ...script };
}

const read = (client: Client) => client.readSession({ params });
const write = (client: Client) => client.sendMessage({ params, body: { message: "hi" } });

test("an answer may be silent for as long as a service that works takes for it, and no longer", async () => {
  const { client, asked } = play([session, { body: { items: [] } }, session, { status: 201, body: {} }]);
  await read(client);
  await client.readPatches({ params }).catch(() => undefined);
  await (await client.raw("GET", "/api/v1/sessions/x/patches")).cancel();
  await write(client).catch(() => undefined);
  expect(asked.map(({ idleTimeout }) => idleTimeout)).toEqual([30_000, 60_000, 60_000, 300_000]);
});

describe("the key", () => {
  const forms = (asked: readonly { headers: Readonly<Record<string, string>> }[]) =>
    asked.map(({ headers }) => [headers["x-api-key"], headers["authorization"]]);

  test("goes out as x-api-key, and that it worked is remembered", async () => {
    const memory = forgetfulMemory();
    const { client, asked } = play([session], { memory });
    await read(client);
    expect(forms(asked)).toEqual([["key-of-a-test", undefined]]);
    expect(await memory.get("key-form")).toBe("x-api-key");
  });

  test("once as a bearer token after the first 401, which is remembered", async () => {
    const memory = forgetfulMemory();
    const { client, asked } = play([{ status: 401 }, session, session], { memory });
    await read(client);
    await read(client);
    const [plain, bearer] = [
      ["key-of-a-test", undefined],
      [undefined, "Bearer key-of-a-test"],
    ];
    expect(forms(asked)).toEqual([plain, bearer, bearer]);
  });

  test("refused in both forms: an error of 401, and nothing remembered", async () => {
    const memory = forgetfulMemory();
    const { client, asked, open } = play([{ status: 401 }, { status: 401, body: { error: "who are you?" } }], { memory });
    await expect(read(client)).rejects.toMatchObject({ kind: "auth", status: 401, message: "who are you?" });
    expect([asked.length, open(), await memory.get("key-form")]).toEqual([2, 0, undefined]);
  });

  test("refused in the form that worked before: no other is tried, and the next run asks anew", async () => {
    const memory = forgetfulMemory();
    await memory.set("key-form", "authorization");
    const { client, asked } = play([{ status: 401 }], { memory });
    await expect(read(client)).rejects.toMatchObject({ kind: "auth" });
    expect([forms(asked), await memory.get("key-form")]).toEqual([[[undefined, "Bearer key-of-a-test"]], undefined]);
  });

  test.each([
    ["", "is empty"],
    ["  ", "is empty"],
    ["a\nb", "has a line break in it"],
    ["a b", "has a blank in it"],
    ["a\u001b[Ab", "has a control character in it"],
    ["schlüssel", "has a character that is not ASCII"],
  ])("that can be none, %j, is refused before anything is sent", (value, why) => {
    const make = () => play([], { key: { value, source: "FERRY_API_KEY" } });
    expect(make).toThrow(expect.objectContaining({ kind: "auth", message: `the API key of FERRY_API_KEY ${why}` }) as FerryError);
  });
});

describe("a further try", () => {
  const lost: Step = { lost: { sent: true } };
  const never: Step = { lost: { sent: false } };
  const gateway = [502, 503, 504].map((status): Step => ({ status }));

  test("of a read: after a lost or cut answer, 429 and a gateway's", async () => {
    const { client, asked, open } = play([lost, { ...session, cut: true }, { status: 429 }, ...gateway, session]);
    expect((await read(client)).id).toBe("ses_1");
    expect([asked.length, open()]).toEqual([7, 0]);
  });

  test("of a write: only where it was never sent, or refused by 429", async () => {
    const good = play([never, { status: 429 }, session]);
    await write(good.client);
    expect(good.asked.map(({ body }) => body)).toEqual(Array(3).fill('{"message":"hi"}'));
    for (const step of [lost, ...gateway]) {
      const bad = play([step]);
      await expect(write(bad.client)).rejects.toMatchObject({ kind: "unavailable" });
    }
  });

  test("not after another status", async () => {
    for (const status of [400, 403, 404, 409, 500, 501])
      await expect(read(play([{ status }]).client)).rejects.toMatchObject({ status });
  });

  test("waits twice as long each time, up to 10 s, and gives up within its patience", async () => {
    const { client, clock } = play(Array(20).fill(lost) as Step[]);
    await expect(read(client)).rejects.toMatchObject({ kind: "unavailable" });
    expect(clock.slept).toEqual([500, 1000, 2000, 4000, 8000, 10_000]);
  });

  test("is made three times where no connection can be had", async () => {
    const { client, asked } = play(Array(20).fill(never) as Step[]);
    await expect(read(client)).rejects.toMatchObject({ kind: "unavailable" });
    expect(asked).toHaveLength(4);
  });

  test("waits by chance, from nothing to the whole", async () => {
    const { client, clock } = play([lost, lost, session], { random: () => Uint8Array.of(128, 0) });
    await read(client);
    expect(clock.slept).toEqual([250, 500]);
  });

  test.each([
    ["7", 7000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["Thursday, 01-Jan-26 00:00:20 GMT", 20_000],
    ["Thu Jan  1 00:00:20 2026", 20_000],
    ["soon", 500],
    ["-99999", 500],
    ["-1", 500],
    ["2026", 2_026_000],
    ["1.5", 500],
    ["2026-01-01T00:00:20Z", 500],
  ])("waits as Retry-After says: %s", async (value, wait) => {
    const { client, clock } = play([{ status: 429, headers: { "retry-after": value } }, session], { patience: 3_600_000 });
    await read(client);
    expect(clock.slept).toEqual([wait]);
  });

  test.each(["99999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "is asked for by no Retry-After for more than a day: %s",
    async (value) => {
      const { client, clock } = play([{ status: 503, headers: { "retry-after": value } }]);
      await expect(read(client)).rejects.toMatchObject({ hint: "try again in a day", retryAfter: 86_400_000 });
      expect(clock.slept).toEqual([]);
    },
  );

  test("may come at once where Retry-After is 0: the error says so, when the tries are over", async () => {
    const { client } = play([{ status: 503, headers: { "retry-after": "0" } }], { patience: 0 });
    await expect(read(client)).rejects.toMatchObject({ hint: "try again now", retryAfter: 0 });
  });

  test("isn't waited for where Retry-After is beyond the patience: the error says when", async () => {
    const { client, clock } = play([{ status: 503, headers: { "retry-after": "3600" } }]);
    await expect(read(client)).rejects.toMatchObject({ kind: "unavailable", hint: "try again in 3600 s", retryAfter: 3_600_000 });
    expect(clock.slept).toEqual([]);
  });

  test("isn't made with no patience", async () => {
    const { client } = play([{ status: 503 }]);
    await expect(client.readSession({ params, patience: 0 })).rejects.toMatchObject({ status: 503 });
  });

  test("ends with the signal's reason", async () => {
    const reason = new FerryError("interrupted", "interrupted");
    const { client } = play([lost]);
    const controller = new AbortController();
    const call = client.readSession({ params, signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

describe("the trace", () => {
  test("tells each request and answer, and no secret", async () => {
    const lines: string[] = [];
    const answer = { ...session, headers: { "set-cookie": "sid=secret", "x-request-id": "r1" } };
    const { client } = play([answer], { trace: (line) => lines.push(line) });
    await client.raw("GET", "/api/v1/sessions?cursor=c&api_key=secret", {
      headers: { authorization: "secret", cookie: "secret" },
    });
    expect(lines).toEqual([
      "> GET http://localhost/api/v1/sessions?cursor=c&api_key=%3Credacted%3E",
      "> user-agent: ferry/0.0.0",
      "> authorization: <redacted>",
      "> cookie: <redacted>",
      "> x-api-key: <redacted>",
      "< 200 (0 ms)",
      "< content-type: application/json",
      "< set-cookie: <redacted>",
      "< x-request-id: r1",
    ]);
    expect(lines.join()).not.toContain("secret");
  });
});

test("the trace tells of what got no answer, each time", async () => {
  const lines: string[] = [];
  const { client } = play([{ lost: { sent: true } }, session], { trace: (line) => lines.push(line) });
  await read(client);
  expect(lines.filter((line) => line.startsWith("<"))).toEqual([
    "< no answer: lost",
    "< 200 (0 ms)",
    "< content-type: application/json",
  ]);
});

describe("the address", () => {
  const at = (baseUrl: string) => makeTestClient(makeScriptedSend().send, { baseUrl }).baseUrl;

  test("https anywhere, http only here, without a slash at its end", () => {
    expect(at("https://Agents.example.com/base/")).toBe("https://agents.example.com/base");
    for (const host of ["localhost:1", "a.localhost", "127.0.0.1", "127.9.8.7", "[::1]:2"])
      expect(at(`http://${host}`)).toBe(`http://${host}`);
  });

  test.each([
    "http://agents.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1",
    "ftp://localhost",
    "https://a:b@c",
    "nonsense",
  ])("%s is refused", (address) => {
    expect(() => at(address)).toThrow(expect.objectContaining({ kind: "usage" }) as FerryError);
  });
});

test("what helps against a refused key names the service with its path: another one may be at the same host", async () => {
  const change = { baseUrl: "http://localhost/team" };
  const scope = play([{ status: 403, body: { message: "needs one of sessions:read, all:all" } }], change);
  await expect(read(scope.client)).rejects.toMatchObject({
    hint: "a key that has it: ferry login --host http://localhost/team --scopes all:all",
  });
  const key = {
    value: "key-of-a-test",
    source: "the keychain",
    remedy: "log in again: ferry login --host http://localhost/team",
  };
  const refused = play([{ status: 401 }, { status: 401 }], { ...change, key });
  await expect(read(refused.client)).rejects.toMatchObject({
    hint: "localhost/team refused the key of the keychain: log in again: ferry login --host http://localhost/team",
  });
});

test.each([
  // Somebody's page, or a gateway's to sign in: no service is there.
  ["https://new.example/", undefined],
  ["https://team.example/cdn-cgi/access/login/agents.example.com?kid=1", undefined],
  ["https://new.example/api/v1/sessions/ses_1", "https://new.example"],
  ["https://new.example/agents/api/v1/sessions/ses_1", "https://new.example/agents"],
  ["https://me:secret@new.example/api/v1/sessions/ses_1?y=z", "https://new.example"],
  ["http://127.0.0.1:19001/api/v1/sessions/ses_1", "http://127.0.0.1:19001"],
  ["http://new.example/", undefined],
  ["https://new.example/$(id)/api/v1/sessions/ses_1", undefined],
])("a call that is sent on to %s names the login there: %s", async (location, address) => {
  const { client } = play([{ status: 302, headers: { location } }]);
  await expect(read(client)).rejects.toMatchObject({
    hint:
      address === undefined
        ? "check the host's address, and ask whoever runs the service"
        : `if that is the service's new address, sign in there: ferry login --host ${address}`,
  });
});

describe("the key, where a service says it back", () => {
  const key = "key-of-a-test";

  test("in the code of an error", async () => {
    const { client } = play([{ status: 403, body: { message: `no ${key}`, code: `no_${key}` } }]);
    await expect(read(client)).rejects.toMatchObject({ message: "no <redacted>", code: "no_<redacted>" });
  });

  test("in the address that it redirects to, in small letters, too", async () => {
    const shouting = { key: { value: "KEY-of-A-test", source: "a test" } };
    for (const change of [{}, shouting]) {
      const { client } = play([{ status: 302, headers: { location: `https://${key}.evil.example/` } }], change);
      await expect(read(client)).rejects.toMatchObject({
        message: "localhost redirects to https://<redacted>.evil.example; the key is not sent there",
        hint: "check the host's address, and ask whoever runs the service",
      });
    }
    const { client } = play([{ status: 302, headers: { location: `/x/${key}` } }]);
    await expect(write(client)).rejects.toThrow(/redirects a POST to \S+\/x\/<redacted>$/u);
  });

  test("in the trace, in small letters, too", async () => {
    const lines: string[] = [];
    const loud = { value: "KEY-OF-A-TEST", source: "a test" };
    const { client } = play([{ ...session, headers: { "content-location": `https://${key}.example/` } }], {
      key: loud,
      trace: (line) => lines.push(line),
    });
    await read(client);
    expect(lines.join("\n")).toContain("<redacted>.example");
    expect(lines.join("\n")).not.toContain(key);
  });

  test("in the trace of the request that a redirect leads to", async () => {
    const lines: string[] = [];
    const { client } = play([{ status: 307, headers: { location: `/echo/${key}?t=${key}&u=%6Bey-of-a-test` } }, session], {
      trace: (line) => lines.push(line),
    });
    await read(client);
    expect(lines.filter((line) => line.startsWith("> GET")).at(-1)).toMatch(/\/echo\/<redacted>\?t=<redacted>&u=<redacted>$/u);
    expect(lines.join("\n")).not.toMatch(/(?:k|%6B)ey-of-a-test/u);
  });

  test("also where it is as long as a key can be, and has what a pattern would stumble over", async () => {
    for (const long of [`${key}${"k".repeat(8100)}`, `${"[(*".repeat(2000)}${key}`]) {
      const refusal = { status: 403, body: { message: `bad ${long} and ${long.toUpperCase()}.` } };
      const { client } = play([refusal], { key: { value: long, source: "a test" } });
      await expect(read(client)).rejects.toThrow("bad <redacted> and <redacted>.");
    }
  });

  test("one that is longer than any is none", () => {
    const tooLong = { value: key.repeat(1000), source: "a test" };
    expect(() => play([], { key: tooLong })).toThrow(/^the API key of a test is longer than any key: 13000 characters$/u);
  });

  test("in what is no JSON: the error has no cause that quotes it", async () => {
    const { client } = play([{ headers: { "content-type": "application/json" }, body: `{"secret":"${key}" x` }]);
    const error = await read(client).catch((thrown: unknown) => thrown);
    expect(inspect(error)).toContain("something that is no JSON");
    expect(inspect(error)).not.toContain(key);
  });
});
