import { describe, expect, test } from "vitest";
import { makeTestClock } from "../../support/clock.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeScriptedSend, type Step } from "../../support/scripted-send.ts";

const params = { sessionId: "ses_1" };
const play = (step: Step) => makeTestClient(makeScriptedSend(step).send, { patience: 0 });
const read = (step: Step) => play(step).readSession({ params });

describe("an answer", () => {
  test("may hold more fields, and fewer, and other words than ours", async () => {
    const odd = { id: "ses_1", status: "hibernating", title: null, mood: { today: "good" } };
    expect(await read({ body: odd })).toEqual(odd);
  });

  test("of any 2xx is a success, also an empty one where the deed is what counts", async () => {
    expect(await play({ status: 202, body: "" }).deleteProvider({ params: { providerId: "p" } })).toBeUndefined();
    expect(await play({ status: 204 }).closeSession({ params, body: { outcome: "closed" } })).toBeUndefined();
    expect(await play({ status: 299, body: { id: "x" } }).createSession({ body: {} })).toEqual({ id: "x" });
  });

  test("of a list is the envelope or a bare array", async () => {
    const item = { id: "prv_1" };
    expect((await play({ body: [item] }).listProviders()).items).toEqual([item]);
    expect(await play({ body: { items: [item], next_cursor: null } }).listProviders()).toEqual({
      items: [item],
      next_cursor: null,
    });
    expect(await play({ body: { items: [{ id: "evt_1" }] } }).readEvents({ params })).toEqual([{ id: "evt_1" }]);
  });

  test.each([
    [
      "a web page",
      { headers: { "content-type": "text/html" }, body: "<!doctype html><title>Sign in</title>" },
      "localhost answered with a web page",
    ],
    ["a page without a type", { body: "\n <HTML>" }, "localhost answered with a web page"],
    ["something else", { body: "OK" }, "localhost answered with something that is no JSON"],
    ["nothing", { body: "" }, "the service answered GET /api/v1/sessions/ses_1 with an object without an id"],
    ["a list", { body: [] }, "the service answered GET /api/v1/sessions/ses_1 with an object without an id"],
    ["no id", { body: { id: "" } }, "the service answered GET /api/v1/sessions/ses_1 with an object without an id"],
  ])("that is %s is an error that says so", async (_what, step, message) => {
    await expect(read(step)).rejects.toMatchObject({ kind: "unavailable", message, code: "unexpected_answer" });
  });

  test("that is nested without end is refused before anything walks it, an error's body says nothing", async () => {
    const nested = (levels: number) => `{"id":"ses_1","text":"[[{{","at":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    await expect(read({ body: nested(499) })).resolves.toMatchObject({ id: "ses_1" });
    for (const levels of [500, 20_000])
      await expect(read({ body: nested(levels) })).rejects.toMatchObject({
        kind: "unavailable",
        message: "the service answered with something that is nested more than 500 levels deep",
        code: "unexpected_answer",
      });
    // Closed again and again, and within a string, it is not deep.
    const flat = `{"id":"ses_1","at":[${Array(2000).fill('[{}],"\\"[[{"').join(",")}]}`;
    await expect(read({ body: flat })).resolves.toMatchObject({ id: "ses_1" });
    const error = { status: 500, body: `${'{"error":'.repeat(20_000)}"no"${"}".repeat(20_000)}` };
    await expect(read(error)).rejects.toMatchObject({ message: /answered GET .* with 500 \(internal error\)/u });
  });

  test("with an entry that has no id is refused", async () => {
    await expect(play({ body: { items: [{ id: "a" }, {}] } }).listSessions()).rejects.toMatchObject({ kind: "unavailable" });
    await expect(play({ body: { items: 3 } }).listSessions()).rejects.toMatchObject({ kind: "unavailable" });
  });

  test("with an event that has no id, or no text for it, is taken all the same: told apart by what it says", async () => {
    const [bare, same, other, number, empty, nothing] = await play({
      body: [{ type: "a" }, { type: "a" }, { type: "b" }, { id: 5 }, { id: "" }, null],
    }).readEvents({ params });
    expect([bare?.type, number?.id]).toEqual(["a", "5"]);
    expect(same?.id).toBe(bare?.id);
    expect(new Set([bare, other, number, empty, nothing].map((event) => event?.id)).size).toBe(5);
    for (const event of [bare, other, empty, nothing]) expect(event?.id).toMatch(/^no-id-\w+$/u);
  });

  test.each([304, 300, 302])("of status %d that nobody asked for is none", async (status) => {
    await expect(read({ status })).rejects.toMatchObject({
      kind: "unavailable",
      status,
      message: `localhost answered GET /api/v1/sessions/ses_1 with ${status}, which says nothing`,
    });
    await expect(play({ status }).sendMessage({ params, body: { message: "m", client_id: "c" } })).rejects.toMatchObject({
      status,
    });
  });

  test("is held in memory up to a bound, and not read beyond it", async () => {
    let chunks = 0;
    let cancelled = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks += 1;
        yield new Uint8Array(8 * 1024 * 1024).fill(32);
      }
    }
    const send = async () => ({ status: 200, headers: {}, body: endless(), cancel: async () => void (cancelled = true) });
    await expect(makeTestClient(send).readSession({ params })).rejects.toMatchObject({
      kind: "unavailable",
      message: "the answer is larger than 64 MiB",
    });
    expect([chunks, cancelled]).toEqual([9, true]);
  });

  test.each([200, 400])("that drips, with status %d, is given up and cancelled, a refusal sooner", async (status) => {
    const clock = makeTestClock();
    const start = clock.elapsed();
    let cancelled = () => {};
    const given = new Promise<void>((resolve) => (cancelled = resolve));
    async function* dripping(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield new Uint8Array([32]);
        clock.advance(1000);
        await new Promise(setImmediate);
      }
    }
    const send = async () => ({ status, headers: {}, body: dripping(), cancel: async () => cancelled() });
    await expect(makeTestClient(send, { clock, patience: 0 }).readSession({ params })).rejects.toMatchObject(
      status === 200
        ? { kind: "unavailable", message: "the answer has not come whole in 120 s" }
        : { kind: "usage", message: "localhost answered GET /api/v1/sessions/ses_1 with 400 (bad request)" },
    );
    await given;
    expect(clock.elapsed() - start).toBeLessThan(status === 200 ? 125_000 : 15_000);
    expect(clock.sleepers()).toBe(0);
  });

  test("that came leaves no timer behind", async () => {
    const clock = makeTestClock();
    await makeTestClient(makeScriptedSend({ body: { id: "ses_1" } }).send, { clock }).readSession({ params });
    expect(clock.sleepers()).toBe(0);
  });
});

describe("a refusal", () => {
  test.each([
    [
      "the structured shape",
      { statusCode: 400, code: "bad_name", error: "Bad Request", message: "name: is empty" },
      "name: is empty",
      "bad_name",
    ],
    ["the simple shape", { error: "no such thing" }, "no such thing", undefined],
    ["an error object", { error: { message: "deep", code: "x" } }, "deep", "x"],
    ["RFC 9457", { type: "about:blank", title: "Bad", detail: "the name is empty" }, "the name is empty", undefined],
    ["a list of errors", { errors: [{ message: "first" }, { message: "second" }] }, "first", undefined],
    ["plain text", "go away\nnow", "go away now", undefined],
    ["a web page", "<html>", "localhost answered GET /api/v1/sessions/ses_1 with 400 (bad request)", undefined],
    ["nothing", "", "localhost answered GET /api/v1/sessions/ses_1 with 400 (bad request)", undefined],
    ["an object of its own", { oops: 1 }, "localhost answered GET /api/v1/sessions/ses_1 with 400 (bad request)", undefined],
  ])("in %s", async (_shape, body, message, code) => {
    await expect(read({ status: 400, body })).rejects.toMatchObject({ kind: "usage", status: 400, message, code });
  });

  test("a scope that is missing: the login that has it, with what else is used", async () => {
    const body = { message: "this key needs sessions:read or sessions:all" };
    await expect(read({ status: 403, body })).rejects.toMatchObject({
      kind: "auth",
      hint: expect.stringMatching(
        /^a key that has it: ferry login --host \S+ --scopes sessions:all, with what else you use behind a comma$/u,
      ) as string,
    });
  });

  test.each<[string, string | { readonly message: string; readonly code: string } | undefined, string | undefined]>([
    ["a scope by its message", "the key's scopes do not allow it", "the key of the test lacks a scope that this needs"],
    ["a scope by its code", { message: "no", code: "insufficient_scope" }, "the key of the test lacks a scope that this needs"],
    ["nothing", undefined, "the key of the test may lack a scope that this needs"],
    ["no more than its status", "Forbidden", "the key of the test may lack a scope that this needs"],
    ["another reason", "clone_url: only the owner can register a place on its machine", undefined],
    ["which scopes there are", "scopes: a key can't have more than the one that makes it (sessions:read)", undefined],
  ])("403 that says %s has a hint to a scope only where it may be that", async (_what, error, hint) => {
    const body = typeof error === "string" ? { error } : (error ?? {});
    await expect(read({ status: 403, body })).rejects.toMatchObject({ kind: "auth", hint });
  });

  test.each([
    [400, "usage"],
    [401, "auth"],
    [402, "failure"],
    [403, "auth"],
    [404, "not_found"],
    [405, "failure"],
    [408, "unavailable"],
    [409, "failure"],
    [413, "failure"],
    [415, "failure"],
    [422, "usage"],
    [429, "unavailable"],
    [500, "unavailable"],
    [501, "failure"],
    [503, "unavailable"],
  ])("%i is of kind %s", async (status, kind) => {
    const client = makeTestClient(makeScriptedSend({ status }, { status }).send, { patience: 0 });
    await expect(client.readSession({ params })).rejects.toMatchObject({ kind, status });
  });

  test("is one harmless line without the key, however long or hostile", async () => {
    const message = `\u001b]0;title\u0007key-of-a-test\n${"x".repeat(10_000)}\u202e`;
    const error = await read({ status: 400, body: { error: message } }).catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ message: expect.stringMatching(/^␛\]0;title␇<redacted> x+…$/u) as string });
    expect((error as Error).message.length).toBeLessThanOrEqual(500);
  });
});
