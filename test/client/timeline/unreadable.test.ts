import { describe, expect, test } from "vitest";
import { FerryError, NoAnswerError } from "../../../src/base/errors.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { kinds, outcome, play, shown, ways } from "../../support/following.ts";

/** Answers that come well, and are not what the interface promises. */
const unreadable: Readonly<Record<string, () => SendResponse>> = {
  "breaks in its middle": () => answer('[{"id":"a","payload":{"x":}},{"id":"b"}]'),
  "is cut off": () => answer('[{"id":"a"},{"id'),
  "is a web page": () => answer("<!doctype html><p>Sign in"),
  "is empty": () => answer("", 204),
  "is no list": () => answer('{"events":7}'),
  "is in no coding of ours": () => {
    throw new FerryError("unavailable", 'the answer is encoded as "rot13"', { code: "unknown_encoding" });
  },
  "is compressed garbage": () =>
    answer("", 200, () => {
      throw new NoAnswerError("the compressed answer is garbled", { sent: true, code: "Z_DATA_ERROR" });
    }),
};

function answer(text: string, status = 200, then?: () => void): SendResponse {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
    then?.();
  }
  return { status, headers: { "content-type": "application/json" }, body: bytes(), cancel: async () => undefined };
}

/** A service with a message at work, whose answers of one kind are broken after the first few. */
function breaking(capabilities: readonly string[], what: () => SendResponse, path: "/events" | "/ses_1" = "/events") {
  let asked = 0;
  const played = play(capabilities, undefined, ({ send }) => async (request) => {
    const isBroken = new URL(request.url).pathname.endsWith(path) && ++asked > 3;
    return isBroken && !request.url.includes("stream") ? what() : send(request);
  });
  played.service.add("user_message", { status: "processing", client_id: "mine" });
  return played;
}

const minutes = 60_000;

describe.each(Object.entries(ways))("by %s", (way, capabilities) => {
  // Each way ends at the array.
  const kindsOf = Object.entries(unreadable).slice(0, way === "array" ? Infinity : 2);
  describe.each(kindsOf)("a timeline that %s", (_what, broken) => {
    test("doesn't hide that the session is over, and is told as what it is", async () => {
      const played = breaking(capabilities, broken);
      const ending = (async () => {
        await played.clock.sleep(20_000);
        played.service.add("session_finished");
        played.service.set({ status: "finished", agent_status: "idle" });
      })();
      const items = await played.watch({ until: "end" });
      await ending;
      expect(outcome(items)).toMatchObject({ outcome: "finished", unread: { kind: "unavailable" } });
      expect(played.clock.elapsed()).toBeLessThan(2 * minutes);
      expect(kinds(items, "trouble").length).toBeGreaterThan(0);
    });

    test("of a session that goes on ends nothing, is told, and isn't asked for in a rush", async () => {
      const played = breaking(capabilities, broken);
      const items = await played.watch({ message: "mine", timeout: 20 * minutes });
      expect(outcome(items)).toMatchObject({ outcome: "timeout" });
      expect(kinds(items, "trouble").length).toBeGreaterThan(0);
      expect(played.service.asked.length).toBeLessThan(1500);
    });
  });

  test("a session that can't be read ends nothing", async () => {
    const played = breaking(capabilities, () => answer("<html>"), "/ses_1");
    expect(outcome(await played.watch({ until: "end", timeout: 20 * minutes }))).toMatchObject({ outcome: "timeout" });
  });

  test("one that can be read again after a while is followed on, and nothing is lost", async () => {
    let isBroken = false;
    const played = play(capabilities, undefined, ({ send }) => async (request) => {
      return isBroken && request.url.includes("/events") ? answer("[}") : send(request);
    });
    const message = played.service.add("user_message", { status: "processing", client_id: "mine" });
    const working = (async () => {
      await played.clock.sleep(5000);
      isBroken = true;
      played.service.add("agent_message");
      await played.clock.sleep(15 * minutes);
      isBroken = false;
      await played.clock.sleep(minutes);
      played.service.change(message.id, { status: "completed" });
      played.service.set({ agent_status: "idle" });
    })();
    const items = await played.watch({ message: "mine" });
    await working;
    expect(outcome(items)).not.toHaveProperty("unread");
    expect(outcome(items)).toMatchObject({ outcome: "idle" });
    expect(shown(items)).toEqual(["evt_1 processing", "evt_2 completed", "evt_1 completed update"]);
  });

  test("a service that fails for long is no reason to stop, but the end of the session is seen", async () => {
    let isDown = false;
    const played = play(capabilities, ({ url }) => (isDown && url.includes("/events") ? { status: 500 } : undefined));
    played.service.add("user_message", { status: "processing" });
    const ending = (async () => {
      await played.clock.sleep(5000);
      isDown = true;
      await played.clock.sleep(4 * minutes);
      played.service.set({ status: "closed", agent_status: "idle" });
    })();
    const items = await played.watch({ until: "end" });
    await ending;
    expect(outcome(items)).toMatchObject({ outcome: "closed", unread: { status: 500 } });
  });
});

test("an end that was kept back by trouble which is over is an end of what is told then", async () => {
  let isBroken = false;
  const played = play(
    ways.array,
    undefined,
    ({ send }) =>
      async (request) =>
        isBroken && request.url.includes("/events") ? answer("[}") : send(request),
  );
  const message = played.service.add("user_message", { status: "processing" });
  const working = (async () => {
    await played.clock.sleep(5000);
    isBroken = true;
    await played.clock.sleep(1000);
    played.service.change(message.id, { status: "completed" });
    played.service.add("session_finished");
    played.service.set({ status: "finished", agent_status: "idle" });
    await played.clock.sleep(6000);
    isBroken = false;
  })();
  const items = await played.watch({ until: "end" });
  await working;
  expect(shown(items)).toEqual(["evt_1 processing", "evt_1 completed update", "evt_2 completed"]);
  expect(outcome(items)).not.toHaveProperty("unread");
});
