import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, makeAgentScene, realKey } from "../support/real-agents.ts";

let scene: AgentScene;
beforeEach(async () => void (scene = await makeAgentScene()));
afterEach(() => scene.close());

test("Qwen Code reads, edits, creates and runs a command, uses ferry's tools, and goes on after a restart", async () => {
  scene.model.play(
    { text: "Let me look. ", tools: [{ name: "read_file", args: { file_path: "/repo/hello.txt" } }] },
    { tools: [{ name: "edit", args: { file_path: "/repo/hello.txt", old_string: "hello world", new_string: "hello ferry" } }] },
    { tools: [{ name: "write_file", args: { file_path: "/repo/NOTE.md", content: "# Note\n" } }] },
    {
      tools: [{ name: "run_shell_command", args: { command: "head -n 1 hello.txt", is_background: false, description: "look" } }],
    },
    { tools: [{ name: "mcp__ferry__uncommitted_changes", args: {} }] },
    { text: "Changed the greeting." },
  );
  const session = await scene.start("qwen:stub");
  const after = await scene.engine.work(session, "say hello to ferry");
  const events = await scene.events(session);

  expect(after).toMatchObject({ status: "active", agent_status: "idle" });
  expect(after.head_commit).not.toBe(session.base_commit);
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
  expect(command).toMatchObject({ output: "hello ferry", exit_code: 0 });
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_uncommitted_changes", paths: ["NOTE.md", "hello.txt"] }));
  expect(scene.model.calls.map(({ headers }) => headers.authorization)).toContain(`Bearer ${realKey}`);
  expect(JSON.stringify(events)).not.toContain(realKey);

  await scene.restart();
  scene.model.play({ text: "I remember." });
  await scene.engine.work(session, "the second message");
  const more = (await scene.events(session)).slice(events.length);
  expect(more.map(({ type }) => type)).toEqual(["user_message", "agent_message"]);
  expect(JSON.stringify(scene.model.calls.at(-1)?.body.messages)).toContain("say hello to ferry");
});
