import { afterEach, beforeEach, expect, test } from "vitest";
import type { StreamItem } from "../../../src/service/session/sessions.ts";
import { Timeline } from "../../../src/service/session/timeline/timeline.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";
import type { Session } from "../../../src/wire/resources.ts";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

beforeEach(async () => {
  folder = makeFolder();
  const base = commitFiles(makeRepository(folder.path), { a: "1" });
  engine = await makeTestEngine();
  session = await engine.start(await engine.register(folder.path), { base_commit: base });
});

afterEach(async () => {
  await engine.close();
  folder.remove();
});

const revisionsOf = (items: readonly StreamItem[]) =>
  items.flatMap((item) => (item.type === "session_event" ? [item.event.revision ?? 0] : []));

test("a follower sees each version once, in order, with the session and the commits in between", async () => {
  await engine.post(session, "echo 1 > one; git add one; git commit -qm one; echo 2 > two");
  const items = await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "idle");
  const revisions = revisionsOf(items);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  expect(new Set(revisions).size).toBe(revisions.length);
  expect(items.flatMap((item) => (item.type === "patch" ? [[item.patch.sequence, item.patch.subject]] : []))).toEqual([
    [1, "one"],
    [2, "echo 1 > one; git add one; git commit -qm one; echo 2 > two"],
  ]);
  const after = await engine.store.sessions.find(session.id);
  expect(items.findLast((item) => item.type === "patch")).toMatchObject({ patch: { commit: after?.head_commit } });
});

test("events that are written while stored ones are read are neither missed nor repeated", async () => {
  const timeline = new Timeline(engine.deps);
  const write = (text: string) => timeline.say(session.id, text);
  await engine.store.transaction(async (store) => {
    for (let at = 0; at < 1200; at++) await store.timeline.append(session.id, event(`stored ${at}`));
  });
  const over = new AbortController();
  const seen: string[] = [];
  for await (const item of timeline.follow(session.id, 3, over.signal)) {
    if (item.type !== "session_event" || item.event.type !== "system_message") continue;
    seen.push(item.event.payload.message);
    if (seen.length === 1 || seen.length === 700) await write(`live ${seen.length}`);
    if (seen.length === 1199) await write("last");
    if (item.event.payload.message === "last") over.abort();
  }
  const expected = [...Array.from({ length: 1197 }, (_, at) => `stored ${at + 3}`), "live 1", "live 700", "last"];
  expect(seen).toEqual(expected);
});

test("a follower that doesn't read holds nothing up, and has all events later", async () => {
  const timeline = new Timeline(engine.deps);
  const over = new AbortController();
  const slow = timeline.follow(session.id, 0, over.signal);
  await timeline.say(session.id, "first");
  await slow.next();
  for (let at = 0; at < 3000; at++)
    timeline.tell(session.id, { type: "delta", delta: { event_type: "agent_message", text: `${at} ` } });
  await timeline.say(session.id, "second");
  const rest: StreamItem[] = [];
  for await (const item of slow) {
    rest.push(item);
    if (item.type === "session_event") over.abort();
  }
  // The oldest deltas are dropped; events never are.
  expect(rest.filter((item) => item.type === "delta").length).toBeLessThanOrEqual(1000);
  expect(rest.filter((item) => item.type === "session_event")).toHaveLength(1);
});

test("an aborted follow ends, also while it waits", async () => {
  const over = new AbortController();
  const follow = engine.sessions.follow(session.id, 0, over.signal)[Symbol.asyncIterator]();
  const next = follow.next();
  over.abort();
  expect(await next).toMatchObject({ done: true });
});

function event(message: string) {
  return {
    id: `evt_${message.replaceAll(" ", "")}`,
    payload: { type: "system_message" as const, message },
    status: "completed" as const,
    at: new Date(0).toISOString(),
  };
}
