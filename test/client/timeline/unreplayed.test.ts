import { expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { kinds, play, shown, ways } from "../../support/following.ts";

type Clock = ReturnType<typeof play>["clock"];

const refused = (headers: Readonly<Record<string, string>>, status: number) => async (): Promise<SendResponse> => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: (async function* () {
    yield Buffer.from('{"error":"no"}');
  })(),
  cancel: async () => undefined,
});

/** What comes instead of an answer. */
const faults: Readonly<Record<string, (clock: Clock) => Promise<SendResponse>>> = {
  "answered with 429": refused({ "retry-after": "2" }, 429),
  "answered with 503": refused({}, 503),
  reset: async () => {
    throw new NoAnswerError("the line is cut", { sent: true, code: "ECONNRESET" });
  },
  "answered late, and then with 504": async (clock) => {
    await clock.sleep(2_500);
    return refused({}, 504)();
  },
};

/** Whose stream begins anew without what it missed, as one does whose buffer is empty after a restart; then `times` reads of events fail. */
function playRestarting(times: number, fault: (clock: Clock) => Promise<SendResponse>) {
  let [streams, failures] = [0, 0];
  const played = play(
    ways.stream,
    ({ headers }) => {
      if (headers["accept"] !== "text/event-stream" || streams++ === 0) return undefined;
      return { forgot: Math.max(0, ...played.service.events.map(({ revision }) => revision ?? 0)), gapless: true };
    },
    ({ send }) =>
      async (request) =>
        new URL(request.url).pathname.endsWith("/events") &&
        request.headers["accept"] !== "text/event-stream" &&
        streams > 1 &&
        failures++ < times
          ? fault(played.clock)
          : send(request),
  );
  return played;
}

test.each(
  Object.entries(faults).flatMap(([what, fault]) =>
    [1, 2, 3].flatMap((times) => [false, true].map((isCut) => ({ what, fault, times, isCut }))),
  ),
)(
  "a stream that begins anew without what it missed, and the look for that is $what, $times times: nothing is lost; cut again: $isCut",
  async ({ fault, times, isCut }) => {
    const played = playRestarting(times, fault);
    const { service, clock } = played;
    const done = (async () => {
      for (let count = 0; count < 4; count++) service.add("agent_message");
      await clock.sleep(3_000);
      service.hangUp();
      service.add("agent_message");
      service.add("agent_message");
      service.change("evt_2", { payload: { type: "agent_message", message: "changed" } });
      await clock.sleep(1_500);
      service.add("agent_message");
      await clock.sleep(1_000);
      if (isCut) service.hangUp();
      await clock.sleep(30_000);
      service.add("session_finished");
      service.set({ status: "finished", agent_status: "stopped" });
    })();
    const lines = shown(await played.watch({ until: "end" }));
    await done;
    expect(lines.filter((line) => !line.endsWith("update")).sort()).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((id) => `evt_${id} completed`),
    );
    expect(lines).toContain("evt_2 completed update");
  },
);

test("a look that failed is made again soon, however lively the stream is", async () => {
  const late: number[] = [];
  // Both ways of a look.
  const played = playRestarting(2, refused({}, 503));
  const { service, clock } = played;
  const done = (async () => {
    service.add("agent_message");
    await clock.sleep(3_000);
    service.hangUp();
    service.add("agent_message");
    for (let count = 0; count < 20; count++) {
      await clock.sleep(2_000);
      service.add("agent_message");
    }
    service.add("session_finished");
    service.set({ status: "finished", agent_status: "stopped" });
  })();
  await played.watch({ until: "end" }, (item) => {
    for (const { event } of item.kind === "events" ? item.items : []) late.push(clock.now() - Date.parse(event.created_at ?? ""));
  });
  await done;
  expect(late).toHaveLength(23);
  expect(Math.max(...late)).toBeLessThanOrEqual(10_000);
});

test("what a stream sends of before a gap is known to be older, where the array had nothing new after it", async () => {
  const played = play(ways.stream);
  const { service, clock } = played;
  const done = (async () => {
    const message = service.add("user_message", { status: "processing" });
    await clock.sleep(1_000);
    service.change(message.id, { status: "completed" });
    // The array has it as it was told, twice: what is the same may be left out of an answer.
    for (let count = 0; count < 2; count++) {
      await clock.sleep(30_000);
      service.tell("gap", { from: 1 });
    }
    await clock.sleep(10_000);
    service.tell("session_event", message);
    await clock.sleep(10_000);
    service.add("session_finished");
    service.set({ status: "finished", agent_status: "stopped" });
  })();
  const items = await played.watch({ until: "end" });
  await done;
  expect(kinds(items, "gap")).toHaveLength(2);
  expect(shown(items)).toEqual(["evt_1 processing", "evt_1 completed update", "evt_2 completed"]);
});
