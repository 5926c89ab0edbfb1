import { describe, expect, test } from "vitest";
import { exitCodes, type FerryError } from "../../../src/base/errors.ts";
import type { Send, SendResponse } from "../../../src/host/host.ts";
import { kinds, outcome, play, shown, ways, work } from "../../support/following.ts";

const isCli = (url: string) => new URL(url).pathname === "/api/v1/cli";
const isWhole = (url: string) => new URL(url).pathname.endsWith("/events") && !url.includes("after=");

function answer(body: unknown, status = 200): SendResponse {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(body));
  }
  return { status, headers: { "content-type": "application/json" }, body: bytes(), cancel: async () => undefined };
}

describe("a service that refuses while something else is awaited", () => {
  test.each([
    [401, 4],
    [403, 4],
  ])("%i for what it can is the error of the following, and nothing more", async (status, exit) => {
    let sessions = 0;
    const slow =
      (send: Send, sleep: (ms: number) => Promise<void>): Send =>
      async (request) => {
        if (isCli(request.url)) return answer({ error: "no" }, status);
        // What the following asks when it decides is answered long after the refusal has come.
        if (request.url.endsWith("/ses_1") && ++sessions > 2) await sleep(60_000);
        return send(request);
      };
    const played = play(ways.array, undefined, ({ send }) => slow(send, async (ms) => played.clock.sleep(ms)));
    played.service.add("user_message");
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    const failed = played.watch({ until: "end" }).catch((error: unknown) => error as FerryError);
    expect(exitCodes[((await failed) as FerryError).kind]).toBe(exit);
  });

  test.each([429, 500, 503])(
    "%i for what it can, for good: it is followed by the array all the same, and that is told",
    async (status) => {
      const played = play(
        ways.stream,
        undefined,
        ({ send }) =>
          async (request) =>
            isCli(request.url) ? answer({ error: "no" }, status) : send(request),
      );
      const done = work(played);
      const items = await played.watch({ message: "mine" });
      await done;
      expect(outcome(items)).toMatchObject({ outcome: "idle" });
      expect(kinds(items, "source")).toMatchObject([{ name: "array" }]);
      expect(kinds(items, "trouble")).toMatchObject([{ error: { status } }]);
    },
  );

  test("for a while with a 500 to what it can is followed by its stream later", async () => {
    const played = play(
      ways.stream,
      undefined,
      ({ send }) =>
        async (request) =>
          isCli(request.url) && played.clock.elapsed() < 200_000 ? answer({ error: "no" }, 500) : send(request),
    );
    played.service.add("user_message", { status: "processing" });
    const items = await played.watch({ timeout: 1_000_000 });
    expect(kinds(items, "source")).toMatchObject([{ name: "array" }, { name: "stream" }]);
  });

  test("once with a 500 goes on", async () => {
    let asked = 0;
    const played = play(
      ways.stream,
      undefined,
      ({ send }) =>
        async (request) =>
          isCli(request.url) && asked++ === 0 ? answer({ error: "boom" }, 500) : send(request),
    );
    const done = work(played);
    expect(outcome(await played.watch({ message: "mine" }))).toMatchObject({ outcome: "idle" });
    await done;
  });
});

describe.each(Object.entries(ways))("by %s", (_way, capabilities) => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7])("one 500 at request %i ends nothing", async (at) => {
    const played = play(capabilities, (_, count) => (count === at ? { status: 500 } : undefined));
    played.service.add("user_message", { client_id: "mine" });
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    expect(outcome(await played.watch({ message: "mine" }))).toMatchObject({ outcome: "idle" });
  });

  test("an event that differs at each look doesn't put the end off for ever", async () => {
    let looks = 0;
    const played = play(capabilities, undefined, (service) => async (request) => {
      if (service.events.length > 0 && new URL(request.url).pathname.endsWith("/events"))
        service.change("evt_1", { payload: { type: "agent_message", message: `look ${++looks}` } });
      return service.send(request);
    });
    played.service.add("agent_message");
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    expect(outcome(await played.watch())).toMatchObject({ outcome: "idle" });
    expect(played.service.asked.length).toBeLessThan(60);
    expect(played.clock.elapsed()).toBeLessThan(30_000);
  });

  test("a service that falls silent doesn't outlast the timeout", async () => {
    const played = play(capabilities, (request, count) =>
      count > 2 && request.headers["accept"] !== "text/event-stream" ? { delay: 600_000 } : undefined,
    );
    played.service.add("user_message");
    played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    const items = await played.watch({ timeout: 3000 });
    expect(outcome(items)).toMatchObject({ outcome: "timeout", session: { agent_status: "idle" } });
    expect(played.clock.elapsed()).toBeLessThan(5000);
  });
});

test("an array that is cut off in an answer that ends well is read again", async () => {
  let reads = 0;
  const played = play(ways.array, undefined, ({ send }) => async (request) => {
    const response = await send(request);
    if (!isWhole(request.url) || reads++ > 0) return response;
    async function* half(): AsyncGenerator<Uint8Array> {
      for await (const chunk of response.body) yield chunk.subarray(0, chunk.length / 2);
    }
    return { ...response, body: half() };
  });
  played.service.add("user_message");
  played.service.session = { id: "ses_1", status: "active", agent_status: "idle" };
  expect(shown(await played.watch())).toEqual(["evt_1 completed"]);
});

test("a service that wants to be asked again at once isn't asked without a rest", async () => {
  const played = play(ways.array, (_, count) => (count > 2 ? { status: 503, headers: { "retry-after": "0" } } : undefined));
  played.service.add("user_message", { status: "processing" });
  const items = await played.watch({ timeout: 60_000 });
  expect(kinds(items, "trouble").length).toBeGreaterThan(0);
  expect(played.service.asked.length).toBeLessThan(60);
});
