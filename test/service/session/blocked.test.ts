import { afterEach, beforeEach, expect, test } from "vitest";
import type { Session } from "../../../src/wire/resources.ts";
import { makeTestEngine, type TestEngine } from "../../support/engine.ts";
import { commitFiles, makeFolder, makeRepository } from "../../support/git.ts";

// A pipe in the place of a file of git's: git waits there for who would write to it, and so would whoever waits for git.
const plant = "rm .git/config; mkfifo .git/config; echo x > x";

let engine: TestEngine;
let folder: ReturnType<typeof makeFolder>;
let session: Session;

beforeEach(async () => {
  folder = makeFolder();
  const base = commitFiles(makeRepository(folder.path), { a: "a\n" }, "first");
  engine = await makeTestEngine({ limits: { saving: 500 } });
  session = await engine.start(await engine.register(folder.path), { base_commit: base });
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const commandIs = (status: string) =>
  engine.until(
    session,
    (item) => item.type === "session_event" && item.event.type === "agent_run_repository_command" && item.event.status === status,
  );

test.each([
  { when: "while its script runs", script: `${plant}; sleep 1000`, status: "processing" },
  { when: "while it is saved", script: plant, status: "completed" },
])("a turn that blocks git can be stopped $when, and the next message has a sandbox of its own", async (turn) => {
  await engine.post(session, turn.script);
  await commandIs(turn.status);
  // Failed where what it did could not be saved any more.
  const { agent_status } = await engine.sessions.cancel(session.id, { queued: false });
  expect(["idle", "failed"]).toContain(agent_status);
  expect(engine.sessions.busy()).toBe(false);
  const after = await engine.work(session, "cat a > b");
  expect(after.head_commit).not.toBe(session.base_commit);
});

test("a turn that blocks git doesn't hold up the service's end", async () => {
  await engine.post(session, plant);
  await commandIs("completed");
  await engine.close();
  expect(engine.sessions.busy()).toBe(false);
});
