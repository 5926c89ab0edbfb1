import { describe, expect, test } from "vitest";
import { forgetfulMemory } from "../../src/client/memory.ts";
import { makeTestClient } from "../support/client.ts";
import { makeIdleClock } from "../support/idle-clock.ts";
import { makeScriptedSend, type Step } from "../support/scripted-send.ts";

const info: Step = { body: { service: { name: "ferry", version: "1" }, capabilities: ["stream", "dance"] } };

function play(...steps: Step[]) {
  const [memory, clock, script] = [forgetfulMemory(), makeIdleClock(), makeScriptedSend(...steps)];
  return { client: makeTestClient(script.send, { memory, clock, patience: 0 }), memory, clock, asked: script.asked };
}

describe("what a service can do", () => {
  test("is asked for once in a day", async () => {
    const { client, asked, clock } = play(info, info);
    expect([...(await client.capabilities()), ...(await client.capabilities())]).toEqual(["stream", "dance", "stream", "dance"]);
    expect(asked.map(({ url }) => url)).toEqual(["http://localhost/api/v1/cli"]);
    await clock.sleep(24 * 3_600_000);
    await client.capabilities();
    expect(asked).toHaveLength(2);
  });

  test.each([5, true, {}])("is none of ours by %j in the place of words", async (capabilities) => {
    expect((await play({ body: { capabilities } }).client.capabilities()).has("stream")).toBe(false);
  });

  test.each<[string, Step]>([
    ["404", { status: 404 }],
    ["405", { status: 405 }],
    ["501", { status: 501 }],
    ["an empty answer", { body: "" }],
    ["a web page", { body: "<html>" }],
    ["a list", { body: [] }],
    ["an object of its own", { body: { hello: "world" } }],
    ["no list of words", { body: { capabilities: "" } }],
  ])("is nothing by %s, which is remembered for a minute: it may be a gateway's word", async (_what, step) => {
    const { client, asked, clock } = play(step, info);
    expect([...(await client.capabilities()), ...(await client.capabilities())]).toEqual([]);
    expect(asked).toHaveLength(1);
    await clock.sleep(60_000);
    expect([...(await client.capabilities())]).toEqual(["stream", "dance"]);
  });

  test.each<[string, Step]>([
    ...[400, 402, 406, 409, 410, 415, 418, 421, 422, 451].map((status): [string, Step] => [`${status}`, { status }]),
    ["a sign-in page elsewhere", { status: 302, headers: { location: "https://sign-in.example/" } }],
  ])("is nothing by %s, which is believed for now", async (_what, step) => {
    const { client, asked } = play(step, info);
    expect([...(await client.capabilities())]).toEqual([]);
    expect([...(await client.capabilities())]).toEqual(["stream", "dance"]);
    expect(asked).toHaveLength(2);
  });

  test.each<[Step, string]>([
    [{ status: 401 }, "auth"],
    [{ status: 425 }, "unavailable"],
    [{ status: 403 }, "auth"],
    [{ status: 429 }, "unavailable"],
    [{ status: 503 }, "unavailable"],
    [{ lost: { sent: true } }, "unavailable"],
  ])("isn't known after %j: that is the command's error", async (step, kind) => {
    const { client, memory } = play(step, step);
    await expect(client.capabilities()).rejects.toMatchObject({ kind });
    expect(await memory.get("capabilities")).toBeUndefined();
  });

  test("is asked anew after one of its calls isn't there", async () => {
    const { client, asked } = play(info, { status: 404 }, { status: 404 });
    await client.capabilities();
    await expect(client.cancelSession({ params: { sessionId: "x" }, body: {} })).rejects.toMatchObject({ kind: "not_found" });
    expect([...(await client.capabilities())]).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  test("is asked anew where what is remembered is damaged", async () => {
    for (const damage of [3, { words: "stream", until: 0 }, { words: [], until: Infinity }]) {
      const { client, memory, asked } = play(info);
      await memory.set("capabilities", damage);
      expect((await client.capabilities()).has("stream")).toBe(true);
      expect(asked).toHaveLength(1);
    }
  });
});
