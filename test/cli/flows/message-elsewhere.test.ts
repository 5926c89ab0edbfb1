import { expect, test } from "vitest";
import { sendFirstMessage, sendMessage } from "../../../src/cli/flows/session/message.ts";
import { clientId, event, play } from "../../support/message-scene.ts";
import type { Step } from "../../support/scripted-send.ts";

const timeline = (...events: object[]): Step => ({ body: events });
/** So often it is looked for before it is sent again. */
const looks = 7;
const searched = (step: Step): Step[] => Array<Step>(looks).fill(step);

const elsewhere = (status: number, location: string): Step => ({ status, headers: { location } });

test.each<[string, Step[]]>([
  ["is redirected to a sign-in page", [elsewhere(302, "/login")]],
  ["is redirected to another host", [elsewhere(307, "https://other.example/")]],
  ["is done, and to be seen on another host", [elsewhere(303, "https://other.example/")]],
  ["is done, and not to be seen", [elsewhere(303, "/made"), { status: 404 }]],
  ["is done, and the look at it refused", [elsewhere(303, "/made"), { status: 429 }]],
  ["is done, and the look at it fails at a gateway", [elsewhere(303, "/made"), { status: 502 }]],
  ["is answered by what is cut off", [{ body: '{"id":"evt_1"}', cut: true }]],
  ["is answered by more than is read", [{ body: new Uint8Array(64 * 1024 * 1024 + 1) }]],
])("a message that %s is looked for, and never sent again", async (_what, steps) => {
  const arrived = play(...steps, timeline(event("evt_1", "queued", { client_id: clientId })));
  expect((await arrived.send()).event?.id).toBe("evt_1");
  for (const send of [sendMessage, sendFirstMessage]) {
    const missing = play(...steps, ...searched(timeline(event("evt_0", "completed", { client_id: `ferry-${"1".repeat(24)}` }))));
    const told = {
      message: /[^;]; whether the message has arrived is not known$/u,
      hint: /see with: ferry message list ses_1$/u,
    };
    await expect(send(missing.context, missing.open, "hi")).rejects.toMatchObject({ ...told, doubt: undefined });
    expect(missing.calls().filter((call) => call.startsWith("POST"))).toHaveLength(1);
  }
});

test.each([
  [302, "/new", "use that address"],
  [308, "https://other.example/", "check the host's address, and ask whoever runs the service"],
])("a message that is redirected by %s is looked for twice, and its error keeps the advice", async (status, location, advice) => {
  const { send, calls, clock } = play(elsewhere(status, location), timeline(), timeline());
  const hint = `${advice}; but first see with: ferry message list ses_1`;
  await expect(send()).rejects.toMatchObject({ message: /; whether the message has arrived is not known$/u, hint });
  expect(calls()).toEqual(["POST messages", "GET events", "GET events"]);
  expect(clock.elapsed()).toBeLessThan(1000);
});

test("a message that the service gave up on waiting for (408) is looked for", async () => {
  const arrived = play({ status: 408 }, timeline(event("evt_1", "queued", { client_id: clientId })));
  expect((await arrived.send()).event?.id).toBe("evt_1");
  const missing = play({ status: 408 }, ...searched(timeline()));
  await expect(missing.send()).rejects.toMatchObject({ status: 408 });
  expect(missing.calls().filter((call) => call.startsWith("POST"))).toHaveLength(1);
});

test("a message that lies behind a numbered page of the timeline isn't sent again", async () => {
  const ours = event("evt_1", "queued", { client_id: clientId });
  const page = (next_cursor: number | null, ...items: object[]): Step => ({ body: { items, next_cursor } });
  const arrived = play({ status: 502 }, page(2, event("evt_0", "completed")), page(null, ours));
  expect((await arrived.send()).event?.id).toBe("evt_1");
  expect(arrived.calls()).toEqual(["POST messages", "GET events", "GET events?cursor=2"]);
});
