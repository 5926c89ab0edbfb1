import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asFerryError, exitCodes } from "../../../src/base/errors.ts";
import { makeContext } from "../../../src/cli/context.ts";
import { waitFor } from "../../../src/cli/flows/wait.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeIdleClock, type IdleClock } from "../../support/idle-clock.ts";
import { makeTimelineService, type TimelineService } from "../../support/timeline-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let clock: IdleClock;
let service: TimelineService;
beforeEach(() => {
  world = makeWorld();
  clock = makeIdleClock();
  service = makeTimelineService({ clock, capabilities: ["stream", "after"] });
});
afterEach(() => world.dispose());

type View = Parameters<typeof waitFor>[2];

async function wait(view: Partial<View> = {}, json = true) {
  const options = { json, showSecrets: false, quiet: false, verbose: false, input: true, color: "auto" as const, yes: false };
  const context = makeContext({ ...world.host, clock }, options);
  const client = makeTestClient(service.send, { clock });
  const open = { connection: { client, host: "h", name: "h" }, session: service.session } as unknown as Parameters<
    typeof waitFor
  >[1];
  const failure = await waitFor(context, open, { until: "idle", ...view }).then(
    () => undefined,
    (error: unknown) => asFerryError(error),
  );
  const { stdout, stderr } = world.terminal.written;
  return { exit: failure === undefined ? 0 : exitCodes[failure.kind], stdout, stderr, failure };
}

/** How the session is, by its own words and those of its newest message. */
type Standing = readonly [status: string, agentStatus: string, message: string];

test.each([false, true])("Ctrl-C says how to go on, in the error, which who reads JSON has as well (%s)", async (json) => {
  service.add("user_message", { status: "processing" });
  const waiting = wait({}, json);
  world.interrupt();
  expect(await waiting).toMatchObject({
    ...{ exit: 130, stdout: "", stderr: "" },
    failure: { message: "interrupted: ses_1 goes on", hint: "follow it: ferry tail ses_1" },
  });
});

describe("how it was when the waiting was over: one object, and the exit code", () => {
  test.each<[outcome: string, exit: number, standing: Standing, view?: Partial<View>]>([
    ["idle", 0, ["active", "idle", "completed"]],
    ["failed", 1, ["active", "failed", "completed"]],
    ["failed", 1, ["failed", "failed", "completed"]],
    ["canceled", 1, ["active", "idle", "canceled"]],
    ["waiting_for_user", 3, ["active", "waiting_for_user", "processing"]],
    ["finished", 0, ["finished", "stopped", "completed"]],
    ["merged", 0, ["merged", "idle", "completed"]],
    ["closed", 1, ["closed", "stopped", "completed"]],
    ["timeout", 8, ["active", "working", "processing"], { timeout: 5000 }],
    ["timeout", 8, ["active", "idle", "completed"], { timeout: 5000, until: "end" }],
    ["finished", 0, ["finished", "stopped", "completed"], { until: "end" }],
    ["timeout", 8, ["finished", "stopped", "completed"], { timeout: 5000, until: "merged" }],
    ["closed", 1, ["closed", "stopped", "completed"], { until: "merged" }],
    ["merged", 0, ["merged", "idle", "completed"], { until: "merged" }],
    ["timeout", 8, ["active", "waiting_for_user", "processing"], { timeout: 5000, until: "end" }],
  ])("%s: %i", async (outcome, exit, [status, agent_status, message], view) => {
    service.session = { id: "ses_1", status, agent_status };
    service.add("user_message", { status: message });
    const { stdout, exit: ended, stderr } = await wait(view);
    expect(JSON.parse(stdout)).toEqual({ session_id: "ses_1", outcome, status, agent_status, exit });
    expect({ exit: ended, stderr }).toEqual({ exit, stderr: "" });
  });

  test("what ends a wait for the end is what it waits for: to close the session otherwise is exit 1", async () => {
    service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    service.add("user_message", { status: "completed" });
    const { failure } = await wait({ timeout: 5000, until: "end" });
    expect(failure?.hint).toBe("end it with: ferry session close ses_1 --finished");
  });

  test("what is over and not merged yet is told as that, and not as work", async () => {
    service.session = { id: "ses_1", status: "finished", agent_status: "stopped" };
    service.add("user_message");
    const { failure } = await wait({ timeout: 5000, until: "merged" });
    expect(failure?.message).toBe("the session is over, and not merged yet");
  });

  test.each([
    ["idle", "finished"],
    ["end", "finished"],
    ["merged", "merged"],
  ] as const)("a timeline that can't be read is told as that, and not as a merge to come: %s", async (until, status) => {
    const { send } = service;
    const fails: typeof send = async (request) => ({
      ...(await send(request)),
      ...(/events/u.test(request.url) && { status: 500 }),
    });
    Object.assign(service, { send: fails });
    service.session = { id: "ses_1", status, agent_status: "stopped" };
    service.add("user_message");
    const message = "the session is over, and its timeline could not be read in that time";
    expect(await wait({ timeout: 5000, until })).toMatchObject({ exit: 8, failure: { message } });
  });

  test.each([
    ["merged", "the session is not merged yet"],
    ["end", "the agent has nothing to do, and whether the session is over is not known"],
  ] as const)("a status of the service's own is not taken for work: %s", async (until, message) => {
    service.session = { id: "ses_1", status: "paused", agent_status: "idle" };
    service.add("user_message", { status: "completed" });
    expect(await wait({ timeout: 5000, until })).toMatchObject({ exit: 8, failure: { message } });
  });

  const rests = "the agent has nothing to do";
  const [ours, theirs] = [`ferry-${"1".repeat(24)}`, `ferry-${"2".repeat(24)}`];

  const hang = (): void => {
    const { send } = service;
    Object.assign(service, {
      send: async (request: Parameters<typeof send>[0]) => {
        if (request.url.includes("/events")) await clock.sleep(600_000, request.signal);
        return send(request);
      },
    });
  };

  test.each<[what: string, message: string, act: () => void, view?: Partial<View>]>([
    ["its timeline hangs", `${rests} by the session's word, but the timeline could not be read in that time`, hang],
    [
      "its timeline hangs after it was read once",
      `${rests} by the session's word, but the timeline could not be read in that time`,
      () => {
        const { send } = service;
        let reads = 0;
        service.add("tool_call", { status: "processing" });
        Object.assign(service, {
          send: async (request: Parameters<typeof send>[0]) => {
            if (request.url.includes("/events") && ++reads > 1) await clock.sleep(600_000, request.signal);
            // By no better way than whole.
            return { ...(await send(request)), ...(request.url.endsWith("/cli") && { status: 404 }) };
          },
        });
      },
      { timeout: 20_000 },
    ],
    ["a message is queued", `${rests}, but something is queued for it`, () => service.add("user_message", { status: "queued" })],
    [
      "it may yet be at it",
      `${rests}, but something is still processing`,
      () => service.add("tool_call", { status: "processing" }),
    ],
    ["ours isn't there", `${rests}, but the message is not in the timeline yet`, () => undefined, { message: ["ferry-1"] }],
    [
      "ours isn't there, but another ferry's",
      `${rests}, but the message is not in the timeline yet`,
      () => service.add("user_message", { status: "completed", client_id: theirs }),
      { message: [ours] },
    ],
    [
      "ours isn't there, whose id is known, but one without a name",
      `${rests}, but the message is not in the timeline yet`,
      () => service.add("user_message", { status: "completed" }),
      { message: [ours, "evt_none"] },
    ],
    [
      "one that may be ours is there, without its name",
      `${rests}, but whether one of the timeline's messages is ours can't be told`,
      () => service.add("user_message", { status: "completed" }),
      { message: [ours] },
    ],
    [
      "one that may be ours is queued",
      `${rests}, but something is queued for it`,
      () => service.add("user_message", { status: "queued", client_id: "srv-1" }),
      { message: [ours] },
    ],
    [
      "it doesn't rest for long",
      `${rests} now, but has not rested for long enough to be sure of it`,
      () => {
        const { send } = service;
        service.add("user_message", { status: "completed" });
        Object.assign(service, {
          send: async (request: Parameters<typeof send>[0]) => {
            service.session = { ...service.session, agent_status: clock.elapsed() < 3000 ? "working" : "idle" };
            return send(request);
          },
        });
      },
    ],
  ])("an agent that rests, while %s, is told as that, and not as a session to be closed", async (_what, message, act, view) => {
    service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    act();
    const { exit, failure } = await wait({ timeout: 3000, ...view });
    expect({ exit, message: failure?.message }).toEqual({ exit: 8, message });
    expect(failure?.hint).not.toContain("close");
  });

  test.each<[what: string, message: string, act: () => void]>([
    ["nothing is open", "the time is up, and what the agent does now is not known", () => undefined],
    ["something is open", "the agent is still working", () => service.add("tool_call", { status: "processing" })],
    ["the timeline hangs", "the timeline could not be read in that time", hang],
  ])("a service's own word for the agent is taken for no work: %s", async (_what, message, act) => {
    service.session = { id: "ses_1", status: "active", agent_status: "free" };
    service.add("user_message", { status: "completed" });
    act();
    expect(await wait({ timeout: 3000 })).toMatchObject({ exit: 8, failure: { message } });
  });

  test("an agent whose turn is queued is not called working", async () => {
    service.session = { id: "ses_1", status: "active", agent_status: "queued" };
    const { exit, failure } = await wait({ timeout: 3000 });
    expect({ exit, message: failure?.message }).toEqual({ exit: 8, message: "the agent has not begun yet: its turn is queued" });
  });

  test("a service that falls silent is no reason to wait for longer than was asked", async () => {
    let asked = 0;
    const { send } = service;
    Object.assign(service, {
      send: async (request: Parameters<typeof send>[0]) => {
        if (request.url.endsWith("/ses_1") && ++asked > 2) await clock.sleep(600_000, request.signal);
        return send(request);
      },
    });
    service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    service.add("user_message");
    const { stdout, exit, failure } = await wait({ timeout: 3000 });
    expect(failure?.message).toBe("the time is up, and the service doesn't say how the session stands now");
    expect({ exit, told: JSON.parse(stdout) as unknown }).toEqual({
      exit: 8,
      told: { session_id: "ses_1", outcome: "timeout", status: "active", agent_status: "idle", exit: 8 },
    });
    expect(clock.elapsed()).toBeLessThan(6000);
  });

  test("for a person one word, and why where nobody said so", async () => {
    service.session = { id: "ses_1", status: "open", agent_status: "napping" };
    service.add("user_message");
    expect(await wait({}, false)).toEqual({ exit: 0, stdout: "idle\n", stderr: "nothing has changed for 60 s\n" });
    expect(clock.elapsed()).toBeGreaterThanOrEqual(60_000);
  });

  test("a message is known by its id alone; one by no name is waited for until nothing changes", async () => {
    service.session = { id: "ses_1", status: "active", agent_status: "idle" };
    const { id } = service.add("user_message");
    expect(await wait({ message: ["ferry-1", id] }, false)).toEqual({ exit: 0, stdout: "idle\n", stderr: "" });
    expect(clock.elapsed()).toBeLessThan(1000);
    world = world.next();
    expect(await wait({ message: ["ferry-1"] }, false)).toMatchObject({ exit: 0, stderr: "nothing has changed for 60 s\n" });
    expect(clock.elapsed()).toBeGreaterThanOrEqual(60_000);
  });

  test("with foreign words a question needs you at once", async () => {
    service.session = { id: "ses_1", status: "open", agent_status: "napping" };
    service.add("user_message", { status: "processing" });
    service.add("agent_ask_user", { status: "processing" });
    expect(await wait()).toMatchObject({ exit: 3 });
    expect(clock.elapsed()).toBeLessThan(1000);
  });
});
