import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeContext } from "../../../src/cli/context.ts";
import { followSession, type FollowView } from "../../../src/cli/flows/follow.ts";
import type { GlobalOptions } from "../../../src/cli/options.ts";
import { makeTestClient } from "../../support/client.ts";
import { makeIdleClock, type IdleClock } from "../../support/idle-clock.ts";
import { makeTimelineService, type Fault, type TimelineService } from "../../support/timeline-service.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World;
let clock: IdleClock;
let service: TimelineService;
const faults = new Map<number, Fault>();
const asked = new EventEmitter();
beforeEach(() => {
  world = makeWorld();
  clock = makeIdleClock();
  faults.clear();
  service = makeTimelineService({
    clock,
    capabilities: ["stream", "after"],
    fault: (_, count) => {
      asked.emit("asked");
      return faults.get(count);
    },
  });
});
afterEach(() => world.dispose());

const plain: GlobalOptions = {
  json: false,
  showSecrets: false,
  quiet: false,
  verbose: false,
  input: true,
  color: "auto",
  yes: false,
};

async function show(view: Partial<FollowView> = {}, options: Partial<GlobalOptions> = {}, isOurs = false) {
  const context = makeContext({ ...world.host, clock }, { ...plain, ...options });
  const client = makeTestClient(service.send, { clock });
  const connection = {
    client,
    memory: { get: async () => undefined, set: async () => undefined },
    host: "local",
    name: "local",
    origin: "local:1",
  };
  const open = { connection, session: service.session, isOurs } as unknown as Parameters<typeof followSession>[1];
  const result = await followSession(context, open, { until: "idle", ...view });
  return { ...result, ...world.terminal.written };
}

/** A turn: a message is taken up, a command runs, something is said, and it is done. */
async function work(): Promise<void> {
  const message = service.add("user_message", { status: "queued", payload: { type: "user_message", message: "go" } });
  await once(asked, "asked");
  await clock.sleep(1000);
  service.change(message.id, { status: "processing" });
  await clock.sleep(1000);
  service.add("agent_message", { payload: { type: "agent_message", message: "done" } });
  await clock.sleep(1000);
  service.change(message.id, { status: "completed" });
  service.set({ agent_status: "idle" });
}

describe("for a person", () => {
  test("a line an event on stdout, nothing on stderr", async () => {
    const [{ stdout, stderr, outcome }] = await Promise.all([show(), work()]);
    expect(stdout).toBe(
      [
        "2026-01-01T00:00:00.000Z  › go",
        "                            queued",
        "2026-01-01T00:00:00.000Z  › taken up: go",
        "2026-01-01T00:00:02.000Z  ● done",
        "",
      ].join("\n"),
    );
    expect([stderr, outcome]).toEqual(["", "idle"]);
  });

  test("an outage is told once, on stderr, and by which way it is followed only with -v", async () => {
    for (const count of [3, 4, 5]) faults.set(count, { lost: true });
    faults.set(2, { cut: 0 });
    const [{ stderr }] = await Promise.all([show({}, { verbose: true }), work()]);
    expect(stderr).toBe("following by: stream\nthe connection is lost, trying again: the line is cut\n");
  });

  test.each([
    [402, "the service refuses, trying again: status 402 (GET /api/v1/sessions/ses_1: 402)"],
    [425, "the service has trouble, trying again: status 425 (GET /api/v1/sessions/ses_1: 425)"],
  ])("a %i is told once, with what was asked, and waited through", async (status, line) => {
    for (let count = 3; count < 30; count++) faults.set(count, { status });
    const [shown] = await Promise.all([show({}, { verbose: false }), work()]);
    expect(shown).toMatchObject({ outcome: "idle", stderr: `${line}\n` });
  });

  test.each([404, 410])("a session whose timeline alone isn't there (%i) is told as that", async (status) => {
    faults.set(1, { status });
    await expect(show()).rejects.toMatchObject({
      kind: "not_found",
      status,
      message: /^the session ses_1 is there, but not its timeline: /u,
      hint: "how it stands: ferry session view ses_1",
    });
  });

  test.each([404, 410])("a session that is gone (%i) is told as that", async (status) => {
    service.add("user_message", { status: "processing" });
    for (let count = 3; count < 1000; count++) faults.set(count, { status });
    await expect(show()).rejects.toMatchObject({
      kind: "not_found",
      status,
      message: "the session ses_1 is not there any more: was it deleted?",
      hint: "those that are: ferry session list",
    });
  });

  test.each<[Partial<GlobalOptions>, boolean, string]>([
    [{}, true, "ferry say TEXT"],
    [{}, false, "ferry say --session ses_1 TEXT"],
    [{ host: "https://a b" }, true, `ferry say --host "https://a b" --session ses_1 TEXT`],
    [{ C: "/elsewhere" }, true, "ferry say --session ses_1 TEXT"],
  ])("with %j a question of the session that is meant anyway (%s) is answered by %s", async (options, isOurs, command) => {
    service.add("agent_ask_user", { status: "processing", payload: { type: "agent_ask_user", question: "Which?" } });
    service.set({ agent_status: "waiting_for_user" });
    expect((await show({}, options, isOurs)).stdout).toContain(`answer with: ${command}\n`);
  });

  test("only the types that were asked for, or nothing at all", async () => {
    const [{ stdout }] = await Promise.all([show({ types: ["agent_message"] }), work()]);
    expect(stdout).toBe("2026-01-01T00:00:02.000Z  ● done\n");
    world = world.next();
    expect((await show({ silent: true })).stdout).toBe("");
  });
});

describe("for a script", () => {
  const lines = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; status: string });

  test("each event once, as it came", async () => {
    const [{ stdout }] = await Promise.all([show({}, { json: true }), work()]);
    expect(lines(stdout).map(({ id, status }) => [id, status])).toEqual([
      ["evt_1", "queued"],
      ["evt_2", "completed"],
    ]);
    expect(lines(stdout)[1]).toEqual(service.events[1]);
  });

  test("one that is older than those that are shown already, as it comes", async () => {
    service.add("user_message", { status: "processing" });
    const coming = (async () => {
      await clock.sleep(3000);
      service.add("agent_message", { created_at: "2020-01-01T00:00:00Z" });
    })();
    const [{ stdout }] = await Promise.all([show({ timeout: 20_000 }, { json: true }), coming]);
    expect(stdout.trim().split("\n")).toEqual(service.events.map((event) => JSON.stringify(event)));
  });

  test("and each changed version, with --updates", async () => {
    const [{ stdout }] = await Promise.all([show({ updates: true }, { json: true }), work()]);
    expect(lines(stdout).map(({ id, status }) => [id, status])).toEqual([
      ["evt_1", "queued"],
      ["evt_1", "processing"],
      ["evt_2", "completed"],
      ["evt_1", "completed"],
    ]);
  });
});

test("each commit that is there is waited for before what comes after it is shown", async () => {
  const order: string[] = [];
  const working = (async () => {
    const message = service.add("user_message", { status: "processing" });
    await clock.sleep(1000);
    service.tell("patch", { sequence: 1 });
    await clock.sleep(1);
    service.change(message.id, { status: "completed" });
    service.set({ agent_status: "idle" });
  })();
  const look = async () => {
    order.push("begun");
    await clock.sleep(5000);
    order.push("pulled");
    return service.session;
  };
  await Promise.all([show({ look, lookedAt: service.session }), working]);
  expect(order).toEqual(["begun", "pulled"]);
});

test("a gap that the stream tells of again and again is told once, another one too", async () => {
  const telling = (async () => {
    const message = service.add("user_message", { status: "processing" });
    await once(asked, "asked");
    for (const after of [3, 3, 3, 4, 3]) {
      await clock.sleep(1000);
      service.tell("gap", { after });
    }
    await clock.sleep(20_000);
    service.change(message.id, { status: "completed" });
    service.set({ agent_status: "idle" });
  })();
  const [{ stderr }] = await Promise.all([show(), telling]);
  const line = "the service's stream has lost a part of the timeline, which is read again as a whole\n";
  expect(stderr).toBe(line.repeat(2));
});
