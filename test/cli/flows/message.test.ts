import { describe, expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { fate, sendFirstMessage, sendMessage } from "../../../src/cli/flows/session/message.ts";
import type { Context } from "../../../src/cli/context.ts";
import { makeTestClient } from "../../support/client.ts";
import { clientId, event, play } from "../../support/message-scene.ts";
import { makeScriptedSend, type Step } from "../../support/scripted-send.ts";

const lost: Step = { lost: { sent: true } };
const timeline = (...events: object[]): Step => ({ body: events });
/** So often it is looked for before it is sent again. */
const looks = 7;
const searched = (step: Step): Step[] => Array<Step>(looks).fill(step);

describe("a message", () => {
  test("goes out with an id of its own", async () => {
    const { send, asked } = play({ body: event("evt_1", "processing") });
    expect(await send()).toMatchObject({ clientId, event: { id: "evt_1" } });
    expect(asked[0]?.body).toBe(JSON.stringify({ message: "hi", client_id: clientId }));
  });

  test.each<[string, Step]>([
    ["no answer came", { lost: { sent: true } }],
    ["a gateway answered", { status: 502 }],
  ])("that may have arrived when %s is looked for before it is sent again", async (_what, step) => {
    const arrived = play(step, { body: [event("evt_0", "completed"), event("evt_1", "queued", { client_id: clientId })] });
    expect((await arrived.send()).event?.id).toBe("evt_1");
    expect(arrived.calls()).toEqual(["POST messages", "GET events"]);
    const missing = play(step, ...searched(timeline(event("evt_0", "completed"))), { body: event("evt_1", "processing") });
    expect((await missing.send()).event?.id).toBe("evt_1");
    expect(missing.calls()).toEqual(["POST messages", ...Array<string>(looks).fill("GET events"), "POST messages"]);
    expect(missing.clock.elapsed()).toBe(30_000);
    expect(missing.told.at(-1)).toBe("the message isn't there: sending it again");
    expect(missing.asked.at(-1)?.body).toBe(missing.asked[0]?.body);
  });

  test.each<[string, Step]>([
    ["fails", { status: 500, body: { error: "disk is full" } }],
    ["answers with no JSON", { body: '{"id":"evt' }],
    ["answers with a status that says nothing", { status: 304 }],
  ])("that may have arrived though the service %s is looked for, which is told, and not sent again", async (_what, step) => {
    const ours = event("evt_1", "queued", { client_id: clientId });
    const arrived = play(step, timeline(), timeline(ours));
    expect((await arrived.send()).event?.id).toBe("evt_1");
    expect(arrived.calls()).toEqual(["POST messages", "GET events", "GET events"]);
    expect(arrived.told).toEqual([expect.stringMatching(/; looking whether the message has arrived$/u)]);
    const missing = play(step, ...searched(timeline(event("evt_0", "completed"))));
    const isFailure = step.status === 500;
    const message = isFailure ? "disk is full" : /whether the message has arrived is not known$/u;
    await expect(missing.send()).rejects.toMatchObject({ kind: "unavailable", message });
    expect(missing.calls()).toEqual(["POST messages", ...Array<string>(looks).fill("GET events")]);
  });

  test("that the service stores only after its gateway gave up is not sent again", async () => {
    const late = play({ status: 504 }, timeline(), timeline(), timeline(event("evt_1", "processing", { client_id: clientId })));
    expect((await late.send()).event?.id).toBe("evt_1");
    expect(late.calls()).toEqual(["POST messages", "GET events", "GET events", "GET events"]);
  });

  test("that a gateway's timeout hides may be worked on yet, and is not sent again", async () => {
    const missing = play({ status: 504 }, ...searched(timeline(event("evt_0", "completed"))));
    const told = {
      status: 504,
      message: /whether the message has arrived is not known$/u,
      hint: /^see with: ferry message list/u,
    };
    await expect(missing.send()).rejects.toMatchObject(told);
    expect(missing.calls()).toEqual(["POST messages", ...Array<string>(looks).fill("GET events")]);
  });

  test.each<[string, Step]>([
    ["fails", { status: 500 }],
    ["is rested from", { status: 429 }],
    ["comes garbled", { body: "<html>" }],
  ])("is found though a search for it %s", async (_what, step) => {
    const late = play({ status: 502 }, step, timeline(event("evt_1", "processing", { client_id: clientId })));
    expect((await late.send()).event?.id).toBe("evt_1");
    expect(late.calls()).toEqual(["POST messages", "GET events", "GET events"]);
  });

  describe("where the service keeps no client_id", () => {
    const nameless = (id: string, message: string) => event(id, "processing", { client_id: "", payload: { message } });

    test("is known by its words, if it wasn't there before", async () => {
      const earlier = [nameless("evt_0", "hi"), nameless("evt_1", "no")];
      const late = play(lost, timeline(...earlier), timeline(...earlier, nameless("evt_2", "hi ")));
      expect((await late.send()).event?.id).toBe("evt_2");
    });

    test.each(["srv-1", clientId.toUpperCase()])(
      "and makes one of its own (%s), is known by its words, too",
      async (client_id) => {
        const named = { ...nameless("evt_1", "hi"), client_id };
        const late = play(lost, timeline(), timeline(named));
        expect((await late.send()).event?.id).toBe("evt_1");
        const unclear = play(lost, ...searched(timeline(named)));
        await expect(unclear.send()).rejects.toMatchObject({ message: /same words; whether.*not known$/u });
        expect(unclear.calls().filter((call) => call.startsWith("POST"))).toHaveLength(1);
      },
    );

    test("isn't taken for another ferry's with the same words", async () => {
      const others = { ...nameless("evt_1", "hi"), client_id: `ferry-${"08".repeat(12)}` };
      const missing = play(lost, timeline(), ...Array<Step>(looks - 1).fill(timeline(others)), {
        body: event("evt_2", "queued"),
      });
      expect((await missing.send()).event?.id).toBe("evt_2");
    });

    test("isn't sent again where it may be the one that is there", async () => {
      const unclear = play(lost, ...searched(timeline(nameless("evt_1", "hi"))));
      await expect(unclear.send()).rejects.toMatchObject({ kind: "unavailable", message: /same words; whether.*not known$/u });
    });

    test.each([
      ["hi\r\n  the\u0301", "hi\nth\u00e9"],
      ["hi there", "hi\n\nthere\n"],
    ])("is known by its words, whatever became of their blanks and accents: %j", async (stored, message) => {
      const { context, open, calls } = play(lost, timeline(), timeline(nameless("evt_1", stored)));
      expect((await sendMessage(context, open, message)).event?.id).toBe("evt_1");
      expect(calls()).toEqual(["POST messages", "GET events", "GET events"]);
    });

    test("isn't sent again where a new one came with words that it may have become", async () => {
      const earlier = { ...nameless("evt_0", "no"), created_at: "2020-01-01T00:00:00Z" };
      const later = nameless("evt_1", "*hi*");
      const came = play(lost, timeline(earlier), ...searched(timeline(earlier, later)));
      const told = { kind: "unavailable", message: /other words; whether.*not known$/u };
      await expect(came.send()).rejects.toMatchObject(told);
      const now = new Date(came.clock.now()).toISOString();
      const there = play(lost, ...searched(timeline({ ...later, created_at: now })));
      await expect(there.send()).rejects.toMatchObject(told);
      for (const { calls } of [came, there]) expect(calls().filter((call) => call.startsWith("POST"))).toHaveLength(1);
      const old = play(lost, ...searched(timeline(earlier)), { body: event("evt_2", "processing") });
      expect((await old.send()).event?.id).toBe("evt_2");
    });

    test("and the session was made just now is the one with its words", async () => {
      const { context, open } = play(lost, timeline(nameless("evt_1", "hi")));
      expect((await sendFirstMessage(context, open, "hi")).event?.id).toBe("evt_1");
    });
  });

  test.each<[string, Step, string]>([
    ["isn't allowed", { status: 403, body: { error: "scope sessions:read is missing" } }, "auth"],
    ["finds no session", { status: 404 }, "not_found"],
    ["is for no service like it", { status: 501 }, "failure"],
  ])("may be there where the search for it %s, and that is said", async (_what, step, kind) => {
    const told = { kind, message: /not known$/u, hint: "see with: ferry message list ses_1" };
    await expect(play(lost, step).send()).rejects.toMatchObject(told);
  });

  test("whose fate can't be found out says that, and how to see it", async () => {
    const doubt = { kind: "unavailable", message: /not known/u, hint: "see with: ferry message list ses_1" };
    await expect(play(lost, ...searched(timeline()), lost).send()).rejects.toMatchObject(doubt);
  });

  test("that is interrupted on its way may have arrived, and says so; before that it has not", async () => {
    const controller = new AbortController();
    const reason = new FerryError("interrupted", "interrupted");
    const { open, context } = play();
    const client = makeTestClient(
      async () => {
        controller.abort(reason);
        throw reason;
      },
      { signal: controller.signal },
    );
    const host = { ...context.host, interrupt: controller.signal };
    const send = () => sendMessage({ ...context, host }, { ...open, connection: { ...open.connection, client } }, "hi");
    await expect(send()).rejects.toMatchObject({
      kind: "interrupted",
      message: "interrupted; whether the message has arrived is not known",
      hint: "see with: ferry message list ses_1",
    });
    await expect(send()).rejects.toBe(reason);
  });

  test("that was refused, or never went out, isn't looked for", async () => {
    for (const step of [{ status: 409 }, { status: 501 }, { lost: { sent: false } }]) {
      const { send, calls } = play(step);
      await expect(send()).rejects.toBeInstanceOf(Error);
      expect(calls()).toEqual(["POST messages"]);
    }
  });
});

describe("the first message of a session that was made just now", () => {
  const unknown: Step = { status: 404, body: { error: "no such session" } };

  test("is sent again where the session isn't known everywhere yet", async () => {
    const { context, open, calls } = play(unknown, unknown, unknown, { body: event("evt_1", "processing") });
    expect((await sendFirstMessage(context, open, "hi")).event?.id).toBe("evt_1");
    expect(calls()).toHaveLength(4);
  });

  test("that isn't taken says that the session is there, and how to send it", async () => {
    const hint = "send it: ferry message send ses_1 'the prompt'";
    const missing = play(...Array<Step>(20).fill(unknown));
    const told = { kind: "not_found", message: "ses_1 was made, but the prompt was not sent: no such session", hint };
    await expect(sendFirstMessage(missing.context, missing.open, "hi")).rejects.toMatchObject(told);
    expect(missing.clock.elapsed()).toBeLessThan(5_000);
    const refused = play({ status: 403 });
    await expect(sendFirstMessage(refused.context, refused.open, "hi")).rejects.toMatchObject({ kind: "auth", hint });
    expect(refused.calls()).toHaveLength(1);
  });

  test.each([
    [413, ["close"], "send a shorter one: ferry message send ses_1 -F FILE; or end the session: ferry session close ses_1"],
    [400, [], "send another one: ferry message send ses_1 -F FILE"],
  ])("that is refused for what it is (%i) isn't sent once more as it is", async (status, capabilities, hint) => {
    const { context, open } = play({ status, body: { error: "no" } }, { body: { capabilities } });
    await expect(sendFirstMessage(context, open, "hi")).rejects.toMatchObject({ status, hint });
  });

  test("says so, too, where it is interrupted before that is known", async () => {
    const controller = new AbortController();
    const { context } = play();
    const script = makeScriptedSend(unknown);
    const client = makeTestClient(
      async (request) => {
        controller.abort(new FerryError("interrupted", "interrupted"));
        return script.send(request);
      },
      { patience: 0 },
    );
    const open = { connection: { client }, session: { id: "ses_1" } } as unknown as Parameters<typeof sendMessage>[1];
    const interrupted = { ...context, host: { ...context.host, interrupt: controller.signal } } as Context;
    const told = { kind: "interrupted", message: "ses_1 was made, but the prompt was not sent: interrupted" };
    await expect(sendFirstMessage(interrupted, open, "hi")).rejects.toMatchObject(told);
  });

  test("goes out under one id, also where the search for it isn't answered yet", async () => {
    const ours = event("evt_1", "processing", { client_id: clientId });
    const taken = play(unknown, lost, unknown, timeline(ours));
    expect(await sendFirstMessage(taken.context, taken.open, "hi")).toMatchObject({ clientId, event: { id: "evt_1" } });
    expect(taken.calls()).toEqual(["POST messages", "POST messages", "GET events", "GET events"]);
    expect(taken.asked[1]?.body).toBe(taken.asked[0]?.body);
    const never = play(lost, ...searched(unknown));
    const told = { kind: "not_found", message: /not known$/u };
    await expect(sendFirstMessage(never.context, never.open, "hi")).rejects.toMatchObject(told);
  });

  test("whose fate can't be found out isn't told as not sent", async () => {
    const { context, open } = play(lost, ...searched({ status: 502 }));
    await expect(sendFirstMessage(context, open, "hi")).rejects.toMatchObject({ message: /not known$/u });
  });
});

describe("what becomes of it", () => {
  const queued = "queued: the agent takes it when it is free";

  test("is no error where its place in the queue can't be found out", async () => {
    const { context, open } = play({ status: 500 });
    expect(await fate(context, open, { clientId, event: event("a", "queued") })).toBe(queued);
  });

  test("isn't waited for where the service doesn't say it soon", async () => {
    const { context, clock } = play();
    const client = makeTestClient(
      async ({ signal }) => {
        await clock.sleep(3_600_000, signal);
        throw new Error("too late");
      },
      { clock },
    );
    const open = { connection: { client }, session: { id: "ses_1" } } as unknown as Parameters<typeof sendMessage>[1];
    expect(await fate(context, open, { clientId, event: event("a", "queued") })).toBe(queued);
    expect(clock.elapsed()).toBeLessThan(5_000);
  });

  test("is told, where it waits with how many are before it", async () => {
    const queue = { body: [event("a", "processing"), event("b", "queued"), event("c", "queued"), event("d", "queued")] };
    const told = async (id: string, status: string, ...steps: Step[]) => {
      const { context, open } = play(...steps);
      return fate(context, open, { clientId, event: event(id, status) });
    };
    expect(await told("a", "processing")).toBe("the agent has taken it up");
    expect(await told("a", "completed")).toBe("the agent has it");
    // A service's own word, or none, says only that it has it.
    expect(await told("a", "pending")).toBe("sent");
    expect(await fate(play().context, play().open, { clientId, event: {} as never })).toBe("sent");
    expect(await told("b", "queued", queue)).toBe(queued);
    expect(await told("c", "queued", queue)).toBe("queued, behind 1 other: the agent takes it when it is free");
    expect(await told("d", "queued", queue)).toBe("queued, behind 2 others: the agent takes it when it is free");
    expect(await told("gone", "queued", queue)).toBe(queued);
  });
});
