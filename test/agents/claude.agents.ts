import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, expectToolsAndReturn, makeAgentScene, realKey } from "../support/real-agents.ts";

let scene: AgentScene;
beforeEach(async () => void (scene = await makeAgentScene()));
afterEach(() => scene.close());

test("Claude Code asks, and goes on with the answer", async () => {
  const questions = [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "Red", description: "warm" },
        { label: "Blue", description: "cold" },
      ],
    },
  ];
  scene.model.play({ tools: [{ name: "AskUserQuestion", args: { questions } }] }, { text: "So be it." });
  const { engine } = scene;
  const session = await scene.start("claude");
  const { id } = await engine.post(session, "paint it");
  await engine.until(session, (item) => item.type === "session" && item.session.agent_status === "waiting_for_user");
  const asked = (await scene.events(session)).find(({ type }) => type === "agent_ask_user");
  expect(asked?.payload).toMatchObject({
    question: "Which colour?",
    options: [{ name: "Red", description: "warm" }, { name: "Blue" }],
  });
  await engine.post(session, "2");
  await engine.until(
    session,
    (item) => item.type === "session_event" && item.event.id === id && item.event.status === "completed",
  );
  const { messages = [] } = scene.model.calls.at(-1)?.body ?? {};
  expect(JSON.stringify(messages.at(-1))).toContain("Blue");
  expect((await scene.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "So be it." });
});

test("Claude Code reads, plans, edits, creates and runs a command, and its work comes out as a commit", async () => {
  scene.model.play(
    { text: "Let me look. ", tools: [{ name: "Read", args: { file_path: "/repo/hello.txt" } }] },
    { tools: [{ name: "Edit", args: { file_path: "/repo/hello.txt", old_string: "hello world", new_string: "hello ferry" } }] },
    { tools: [{ name: "Write", args: { file_path: "/repo/NOTE.md", content: "# Note\n" } }] },
    { tools: [{ name: "Bash", args: { command: "mv NOTE.md NOTES.md; rm lib/other.txt; env", description: "move" } }] },
    { text: "Changed the greeting." },
  );
  const session = await scene.start("claude");
  const after = await scene.engine.work(session, "say hello to ferry");
  expect(after).toMatchObject({ status: "active", agent_status: "idle" });
  expect(after.head_commit).not.toBe(session.base_commit);
  const events = await scene.events(session);
  const told = events.map(({ payload }) => payload);
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_message", message: "Changed the greeting." }));
  expect(told).toContainEqual(
    expect.objectContaining({
      type: "agent_file_edit",
      file_path: "hello.txt",
      diff: expect.stringContaining("\n+hello ferry\n b\n") as string,
    }),
  );
  expect(told).toContainEqual(
    expect.objectContaining({ type: "agent_file_move", source_path: "NOTE.md", destination_path: "NOTES.md" }),
  );
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_remove", file_path: "lib/other.txt" }));
  expect(scene.model.calls.map(({ headers }) => headers["x-api-key"])).toContain(realKey);
  expect(JSON.stringify(events)).not.toContain(realKey);
});

test("a cancel ends a command of Claude Code's with all its children, and the next message is worked on", async () => {
  const command = "setsid sleep 1234 & echo started; sleep 1234";
  scene.model.play({ tools: [{ name: "Bash", args: { command, description: "wait" } }] });
  const { engine } = scene;
  const session = await scene.start("claude");
  await engine.post(session, "wait for it");
  await engine.until(
    session,
    (item) =>
      item.type === "session_event" && item.event.type === "agent_run_repository_command" && item.event.status === "processing",
  );
  expect(await engine.sessions.cancel(session.id, { queued: false })).toMatchObject({ agent_status: "idle" });
  expect(spawnSync("pgrep", ["-f", "^sleep 1234"]).status).toBe(1);
  scene.model.play({ text: "Here again." });
  expect(await engine.work(session, "are you there?")).toMatchObject({ agent_status: "idle" });
  expect((await scene.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "Here again." });
});

test("Claude Code uses ferry's tools, and goes on with its session after a restart of the service", async () => {
  await expectToolsAndReturn(scene, "claude", "mcp__ferry__uncommitted_changes");
});
