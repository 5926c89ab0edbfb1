import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, answer, expectCancel, expectToolsAndReturn, makeAgentScene, realKey } from "../support/real-agents.ts";

let scene: AgentScene;
beforeEach(async () => void (scene = await makeAgentScene()));
afterEach(() => scene.close());

/** Codex edits by patches of a form of its own. */
const patch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "@@",
  "-hello world",
  "+hello ferry",
  " b",
  "*** Add File: NOTE.md",
  "+# Note",
  "*** End Patch",
].join("\n");
const command = (cmd: string, more: object = {}) => ({ tools: [{ name: "exec_command", args: { cmd, ...more } }] });

test("Codex reads, edits and creates in one patch, runs a command, and its work comes out as a commit", async () => {
  scene.model.play(
    { text: "Let me look. ", ...command("cat hello.txt") },
    command("ls lib"),
    { tools: [{ name: "apply_patch", args: { input: patch } }] },
    command("head -n 1 hello.txt; env; exit 3"),
    { text: "Changed the greeting." },
  );
  // One that it knows: others are given no tool for patches.
  const session = await scene.start("codex:gpt-5.5");
  const after = await scene.engine.work(session, "say hello to ferry");
  expect(after).toMatchObject({ status: "active", agent_status: "idle" });
  expect(after.head_commit).not.toBe(session.base_commit);
  const events = await scene.events(session);
  const told = events.map(({ payload }) => payload);
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_read", paths: ["hello.txt"] }));
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_tree_browse", path: "lib" }));
  expect(told).toContainEqual(
    expect.objectContaining({
      type: "agent_file_edit",
      file_path: "hello.txt",
      diff: expect.stringContaining("\n+hello ferry\n b\n") as string,
    }),
  );
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_create", file_path: "NOTE.md" }));
  const ran = told.find((payload) => payload.type === "agent_run_repository_command");
  expect(ran).toMatchObject({ output: expect.stringMatching(/^hello ferry\n/u) as string, exit_code: 3 });
  expect(told.at(-1)).toMatchObject({ type: "agent_message", message: "Changed the greeting." });
  expect(scene.model.calls.map(({ headers }) => headers.authorization)).toContain(`Bearer ${realKey}`);
  expect(JSON.stringify(events)).not.toContain(realKey);
});

test("Codex asks before a command, and goes on with the answer", async () => {
  await scene.close();
  scene = await makeAgentScene({ permissions: "ask" });
  const asks = { sandbox_permissions: "require_escalated", justification: "May I?" };
  scene.model.play(command("touch made.txt", asks), { text: "So be it." });
  const session = await scene.start("codex:gpt-5.5");
  const asked = await answer(scene, session, "make it", "1");
  expect(asked.payload).toMatchObject({ question: "May the agent do this? touch made.txt" });
  const told = (await scene.events(session)).map(({ payload }) => payload);
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_create", file_path: "made.txt" }));
  expect(told.at(-1)).toMatchObject({ type: "agent_message", message: "So be it." });
});

test("a cancel ends a command of Codex's with all its children, which it leaves behind by itself", () =>
  expectCancel(scene, "codex:gpt-5.5", (script) => command(script)));

test("Codex uses ferry's tools, and goes on with its session after a restart of the service", async () => {
  await expectToolsAndReturn(scene, "codex:gpt-5.5", "mcp__ferry__uncommitted_changes");
});
