import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, expectToolsAndReturn, makeAgentScene, realKey } from "../support/real-agents.ts";

let scene: AgentScene;
beforeEach(async () => void (scene = await makeAgentScene()));
afterEach(() => scene.close());

test("opencode reads, plans, edits, creates and runs a command, and its work comes out as a commit", async () => {
  scene.model.play(
    { text: "Let me look. ", tools: [{ name: "read", args: { filePath: "/repo/hello.txt" } }] },
    { tools: [{ name: "edit", args: { filePath: "/repo/hello.txt", oldString: "hello world", newString: "hello ferry" } }] },
    { tools: [{ name: "write", args: { filePath: "/repo/NOTE.md", content: "# Note\n" } }] },
    { tools: [{ name: "bash", args: { command: "cat hello.txt | head -n 1; env", description: "look" } }] },
    { text: "Changed the greeting." },
  );
  const session = await scene.start("opencode:openai/stub");
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
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_create", file_path: "NOTE.md" }));
  const command = told.find((payload) => payload.type === "agent_run_repository_command");
  expect(command).toMatchObject({ output: expect.stringContaining("hello ferry\n") as string });
  // The real key went to the provider, and was nowhere inside.
  expect(scene.model.calls.map(({ headers }) => headers.authorization)).toContain(`Bearer ${realKey}`);
  expect(JSON.stringify(events)).not.toContain(realKey);
});

test("opencode uses ferry's tools, and goes on with its session after a restart of the service", async () => {
  await expectToolsAndReturn(scene, "opencode:openai/stub", "ferry_uncommitted_changes");
});
