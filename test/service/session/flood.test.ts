import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentChange } from "../../../src/service/agent/agent.ts";
import { Timeline } from "../../../src/service/session/timeline/timeline.ts";
import { TurnRecord } from "../../../src/service/session/turn/record.ts";
import type { Changes } from "../../../src/service/session/workspace/changes.ts";
import type { Room } from "../../../src/service/session/workspace/room.ts";
import type { Payload } from "../../../src/wire/event.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import { scriptedAgent } from "../../support/scripted-agent.ts";

const mebibyte = 1024 * 1024;
let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

beforeEach(async () => {
  folder = makeFolder();
  const base = commitFiles(makeRepository(folder.path), { a: "1\n" });
  engine = await makeTestEngine(scriptedAgent(folder.path, false));
  session = await engine.start(await engine.register(folder.path), { base_commit: base, model: "claude" });
});

afterEach(async () => {
  await engine.close();
  folder.remove();
});

const flood = (count: number, size: number, update: object) =>
  engine.work(session, `flood ${count} ${size} ${JSON.stringify(update)}`);
const payloads = async () => (await engine.events(session)).map(({ payload }): Payload => payload);
const said = async () => (await payloads()).flatMap((payload) => (payload.type === "system_message" ? [payload.message] : []));
const call = { sessionUpdate: "tool_call", toolCallId: "t#", status: "completed" };

test.each([
  ["a path", { ...call, title: "R", kind: "read", locations: [{ path: "~" }] }],
  ["paths", { ...call, title: "R", kind: "read", rawInput: { paths: ["~", "~"] } }],
  ["a query", { ...call, title: "S", kind: "search", rawInput: { pattern: "~" } }],
  ["a title", { ...call, title: "~", kind: "search" }],
  ["an address", { ...call, title: "F", kind: "fetch", rawInput: { url: "~" } }],
  ["a plan", { sessionUpdate: "plan", entries: [{ content: "~", priority: "low", status: "pending" }] }],
])("of %s an event holds what a reader needs, and tells of the rest", async (_, update) => {
  await flood(3, 500_000, update);
  const told = JSON.stringify((await payloads()).slice(1));
  expect(told.length).toBeLessThan(30_000);
  expect(told).toMatch(/x{3000}\[… \d{6} characters left out …\]/u);
});

test("a list without an end is cut, too", async () => {
  const entry = { content: "x", priority: "low", status: "pending" };
  await flood(1, 1, { sessionUpdate: "plan", entries: Array.from({ length: 2000 }, () => entry) });
  await flood(1, 1, { ...call, title: "R", kind: "read", rawInput: { paths: Array.from({ length: 2000 }, () => "y") } });
  const [plan, read] = (await payloads()).filter(({ type }) => type !== "user_message");
  if (plan?.type !== "agent_plan_execution_update" || read?.type !== "agent_file_read") throw new Error("other events");
  expect(plan.entries?.at(-1)?.content).toBe("[… 1701 more left out …]");
  expect(read.paths.slice(298)).toEqual(["y", "[… 1701 more left out …]"]);
});

test("messages fill no more than their part of the disk in one turn, and that there were more is told once", async () => {
  await flood(40, mebibyte, { sessionUpdate: "agent_message_chunk", messageId: "m#", content: { type: "text", text: "~" } });
  const events = await engine.events(session);
  expect(events.filter(({ type }) => type === "agent_message")).toHaveLength(31);
  expect(JSON.stringify(events).length).toBeLessThan(33 * mebibyte);
  expect(await said()).toEqual(["the agent told more than 32 MiB in this turn; the rest is not listed"]);
  // Of each turn by itself.
  await engine.work(session, "say done");
  expect((await payloads()).at(-1)).toEqual({ type: "agent_message", message: "done" });
});

/** A turn's record whose look at the files gives this each time. */
function record(changes: Omit<Changes, "tree"> = { payloads: [], more: 0 }) {
  const stop = new AbortController();
  const room = { look: () => Promise.resolve({ tree: "", ...changes }), sandbox: { exceeded: () => undefined } };
  const { store, host } = engine.deps;
  const timeline = new Timeline({ store, host });
  const scene = { sessionId: session.id, timeline, room: room as unknown as Room, clock: host.clock, signal: stop.signal };
  return { record: new TurnRecord(scene), stop };
}

const message = (at: number): AgentChange => {
  const payload = { type: "agent_message" as const, message: `m${at}` };
  return { type: "event", key: `m${at}`, payload, done: true };
};

test("at a stop the last of what isn't written is, the rest is counted", async () => {
  const turn = record();
  for (let at = 0; at < 1000; at++) void turn.record.report(message(at));
  turn.stop.abort();
  await turn.record.settled();
  const messages = (await payloads()).flatMap((payload) => (payload.type === "agent_message" ? [payload.message] : []));
  // One was being written.
  expect(messages).toEqual(["m0", ...Array.from({ length: 16 }, (_, at) => `m${984 + at}`)]);
  expect(await said()).toEqual(["stopped while the agent told more than could be written; 983 events not listed"]);
});

test("a flood of changed files is bounded by itself", async () => {
  const diff = "x".repeat(mebibyte);
  const edit = { type: "agent_file_edit" as const, repository_id: "r", file_path: "f", diff };
  const turn = record({ payloads: [edit, edit, edit, edit], more: 0 });
  for (let at = 0; at < 10; at++) await turn.record.report({ type: "worked" });
  await turn.record.report(message(1));
  await turn.record.settled();
  const types = (await payloads()).map(({ type }) => type);
  expect(types.filter((type) => type === "agent_file_edit")).toHaveLength(31);
  expect(types.at(-1)).toBe("agent_message");
  expect(await said()).toEqual(["more than 32 MiB changed in files in this turn; the rest is not listed"]);
});

test("what a follower doesn't take of a message as it is written is no trouble", async () => {
  const { store, host } = engine.deps;
  const timeline = new Timeline({ store, host });
  const over = new AbortController();
  const items = timeline.follow(session.id, 0, over.signal);
  const first = items.next();
  const delta = { event_type: "agent_message" as const, text: "x".repeat(mebibyte) };
  for (let at = 0; at < 100; at++) timeline.tell(session.id, { type: "delta", delta });
  await first;
  let kept = 1;
  void timeline.say(session.id, "end");
  for await (const item of items) {
    if (item.type !== "delta") break;
    kept += 1;
  }
  expect(kept).toBeLessThan(6);
});
