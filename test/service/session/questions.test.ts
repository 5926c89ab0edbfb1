import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/wire/event.ts";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

const folder = makeFolder();
let engine: TestEngine;
let session: Session;

/** An agent of the name `claude` that asks, as often as the message says, what to do, and then tells what it heard. */
const program = `#!/usr/bin/env node
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const hello = { initialize: { protocolVersion: 1, agentCapabilities: {} }, "session/new": { sessionId: "s" } };
const waiting = new Map();
let asked = 0;
const ask = (question) => new Promise((resolve) => {
  const id = "ask" + asked++;
  waiting.set(id, resolve);
  const requestedSchema = { type: "object", properties: { a: { type: "string", oneOf: [{ const: "red", title: "Red" }, { const: "blue", title: "Blue" }] }, a_custom: { type: "string" } } };
  send({ id, method: "elicitation/create", params: { mode: "form", sessionId: "s", message: question, requestedSchema } });
});
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method in hello) return send({ id, result: hello[method] });
  if (waiting.has(id)) return waiting.get(id)(result);
  if (method !== "session/prompt") return;
  const count = Number(params.prompt[0].text);
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => ask("Question " + at)));
  const text = JSON.stringify(answers.map(({ action, content }) => content ?? action));
  send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
  send({ id, result: { stopReason: answers.some(({ action }) => action === "cancel") ? "cancelled" : "end_turn" } });
});`;

beforeEach(async () => {
  const path = join(folder.path, "claude-agent-acp");
  writeFileSync(path, program);
  chmodSync(path, 0o755);
  engine = await makeTestEngine({
    env: { ANTHROPIC_API_KEY: "k" },
    programs: { "claude-agent-acp": path, node: process.execPath },
  });
  const repository = makeRepository(join(folder.path, `repository-${Date.now()}`));
  commitFiles(repository, { "a.txt": "a\n" }, "first");
  session = await engine.start(await engine.register(repository.folder), { model: "claude" });
});
afterEach(() => engine.close());

/** Waits until the agent asks for the `nth` time. */
async function asked(nth: number): Promise<SessionEvent> {
  const seen = new Set<string>();
  const items = await engine.until(session, (item) => {
    if (item.type !== "session_event" || item.event.type !== "agent_ask_user") return false;
    seen.add(item.event.id);
    return seen.size === nth && item.event.status === "processing";
  });
  const last = items.at(-1);
  if (last?.type !== "session_event") throw new Error("it asked nothing");
  return last.event;
}

const done = (id: string, status: SessionEvent["status"]) =>
  engine.until(session, (item) => item.type === "session_event" && item.event.id === id && item.event.status === status);
const now = async () => engine.store.sessions.find(session.id);

test("the agent asks, the session waits for the user, and the next message is the answer", async () => {
  const message = await engine.post(session, "1");
  const question = await asked(1);
  expect(question.payload).toMatchObject({
    question: "Question 0",
    options: [
      { id: "red", name: "Red" },
      { id: "blue", name: "Blue" },
    ],
  });
  expect(await now()).toMatchObject({ status: "active", agent_status: "waiting_for_user" });
  const answer = await engine.post(session, "2");
  expect(answer).toMatchObject({ type: "user_message", status: "completed" });
  await done(message.id, "completed");
  expect(await now()).toMatchObject({ agent_status: "idle" });
  const events = await engine.events(session);
  expect(events.map(({ type, status }) => [type, status])).toEqual([
    ["user_message", "completed"],
    ["agent_ask_user", "completed"],
    ["user_message", "completed"],
    ["user_ask_user_response", "completed"],
    ["agent_message", "completed"],
  ]);
  expect(events[3]?.payload).toEqual({ type: "user_ask_user_response", reply_to: question.id, message: "2", option_id: "blue" });
  expect(events[4]?.payload).toMatchObject({ message: '[{"a":"blue"}]' });
});

test("several questions at once are asked one after another, and words of one's own are an answer too", async () => {
  const message = await engine.post(session, "2");
  await asked(1);
  await engine.post(session, "red");
  await asked(2);
  expect(await now()).toMatchObject({ agent_status: "waiting_for_user" });
  await engine.post(session, "neither of them");
  await done(message.id, "completed");
  expect((await engine.events(session)).at(-1)?.payload).toMatchObject({
    message: '[{"a":"red"},{"a_custom":"neither of them"}]',
  });
});

test("the same answer sent twice is one", async () => {
  const message = await engine.post(session, "1");
  await asked(1);
  const body = { message: "1", client_id: "mine" };
  const first = await engine.sessions.post(session.id, body, engine.user);
  const again = await engine.sessions.post(session.id, body, engine.user);
  expect(again.id).toBe(first.id);
  await done(message.id, "completed");
  expect((await engine.events(session)).filter(({ type }) => type === "user_ask_user_response")).toHaveLength(1);
});

test("a cancel while the agent waits ends the question and the turn", async () => {
  const message = await engine.post(session, "1");
  const question = await asked(1);
  expect(await engine.sessions.cancel(session.id, { queued: false })).toMatchObject({ agent_status: "idle" });
  const events = await engine.events(session);
  expect(events.find(({ id }) => id === question.id)?.status).toBe("canceled");
  expect(events.find(({ id }) => id === message.id)?.status).toBe("canceled");
  // The next message is one, and no answer.
  const next = await engine.post(session, "0");
  await done(next.id, "completed");
  expect((await engine.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "[]" });
});
