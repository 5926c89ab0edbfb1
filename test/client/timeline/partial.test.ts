import { expect, test } from "vitest";
import type { FollowItem } from "../../../src/client/follow.ts";
import type { SendRequest, SendResponse } from "../../../src/host/host.ts";
import { eventsOf, kinds, play, shown, ways } from "../../support/following.ts";

/** Each is told by itself: a batch of a whole array holds 64 KB. */
const long = "x".repeat(20_000);
const count = 40;

function saying(text: string, response: SendResponse): SendResponse {
  return {
    ...response,
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}

/** The same answer, with something in its middle that is no JSON. */
async function garbled(response: SendResponse): Promise<SendResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return saying(Buffer.concat(chunks).toString("utf8").replace('"id":"evt_20"', '"id":NaN'), response);
}

/** Whether it asks for the whole array. */
function isWhole({ url, headers }: SendRequest): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname.endsWith("/events") && headers["accept"] !== "text/event-stream" && !searchParams.has("after");
}

interface Garbling {
  readonly isDue?: () => boolean;
  readonly fault?: Parameters<typeof play>[1];
}

/** A service whose first `bad` whole arrays, from when `isDue` says so, can't be read in their middle. */
function playGarbled(way: keyof typeof ways, bad: number, { isDue = () => true, fault }: Garbling = {}) {
  let asked = 0;
  return play(ways[way], fault, ({ send }) => async (request) => {
    const response = await send(request);
    return isWhole(request) && isDue() && asked++ < bad ? garbled(response) : response;
  });
}

/** The oldest event changed last, so that it has the greatest revision. */
function fill({ service }: Pick<ReturnType<typeof play>, "service">, have = count): void {
  const message = service.add("user_message", { status: "processing" });
  while (service.events.length < have)
    service.add("agent_message", { payload: { type: "agent_message", message: `${service.events.length} ${long}` } });
  service.change(message.id, { status: "completed" });
}

function idsOf(items: readonly FollowItem[]): string[] {
  return [...new Set(eventsOf(items).map(({ event }) => event.id))].sort();
}

const all = (upTo: number) => Array.from({ length: upTo }, (_, at) => `evt_${at + 1}`).sort();

test.each((["stream", "after", "array"] as const).flatMap((way) => [1, 2].map((bad) => ({ way, bad }))))(
  "by $way: what lies behind the part of the array that could be read isn't passed over, $bad times",
  async ({ way, bad }) => {
    const played = playGarbled(way, bad);
    fill(played);
    const done = (async () => {
      await played.clock.sleep(60_000);
      played.service.add("session_finished");
      played.service.set({ status: "finished", agent_status: "stopped" });
    })();
    const items = await played.watch({ until: "end" });
    await done;
    expect(idsOf(items)).toEqual(all(count + 1));
  },
);

test.each([1, 2, 3])("nor after a gap: %i such arrays", async (bad) => {
  let [streams, isGap] = [0, false];
  const played = playGarbled("stream", bad, {
    isDue: () => isGap,
    // The buffer of a service that was started again is empty.
    fault: ({ headers }) =>
      headers["accept"] === "text/event-stream" && streams++ === 1
        ? { forgot: Math.max(...played.service.events.map(({ revision }) => revision ?? 0)) }
        : undefined,
  });
  const { service, clock } = played;
  const done = (async () => {
    service.add("agent_message");
    await clock.sleep(5_000);
    isGap = true;
    service.hangUp();
    fill(played);
    for (let step = 0; step < 20; step++) {
      await clock.sleep(3_000);
      service.add("agent_message");
    }
    service.add("session_finished");
    service.set({ status: "finished", agent_status: "stopped" });
  })();
  const items = await played.watch({ until: "end" });
  await done;
  expect(kinds(items, "gap").length).toBeGreaterThan(0);
  expect(idsOf(items)).toEqual(all(count + 21));
});

test("after a gap an answer that is behind takes nothing back", async () => {
  let old: readonly unknown[] | undefined;
  const played = play(ways.stream, undefined, ({ send }) => async (request) => {
    const response = await send(request);
    return old === undefined || !isWhole(request) ? response : saying(JSON.stringify(old), response);
  });
  const { service, clock } = played;
  const done = (async () => {
    const message = service.add("user_message", { status: "processing" });
    await clock.sleep(3_000);
    old = structuredClone(service.events);
    service.change(message.id, { status: "completed" });
    await clock.sleep(300);
    service.tell("gap", { from: 1 });
    await clock.sleep(1_500);
    old = undefined;
    service.set({ agent_status: "idle" });
  })();
  const items = await played.watch();
  await done;
  expect(shown(items)).toEqual(["evt_1 processing", "evt_1 completed update"]);
  expect(played.clock.elapsed()).toBeLessThan(30_000);
});
