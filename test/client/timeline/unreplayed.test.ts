import { expect, test } from "vitest";
import { NoAnswerError } from "../../../src/base/errors.ts";
import type { SendResponse } from "../../../src/host/host.ts";
import { play, shown, ways } from "../../support/following.ts";

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

test.each(
  Object.entries(faults).flatMap(([what, fault]) =>
    [1, 2, 3].flatMap((times) => [false, true].map((isCut) => ({ what, fault, times, isCut }))),
  ),
)(
  "a stream that begins anew without what it missed, and the look for that is $what, $times times: nothing is lost; cut again: $isCut",
  async ({ fault, times, isCut }) => {
    let [streams, failures] = [0, 0];
    const played = play(
      ways.stream,
      ({ headers }) => {
        if (headers["accept"] !== "text/event-stream" || streams++ === 0) return undefined;
        // The buffer of a service that was started again is empty.
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
