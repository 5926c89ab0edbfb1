import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, answer, expectReturn, expectTools, makeAgentScene, realKey } from "../support/real-agents.ts";

let scene: AgentScene;
beforeEach(async () => void (scene = await makeAgentScene()));
afterEach(() => scene.close());

const edit = { file_path: "hello.txt", instruction: "greet", old_string: "hello world", new_string: "hello ferry" };

test("Gemini CLI reads, edits, creates and runs a command, and its work comes out as a commit", async () => {
  scene.model.play(
    { text: "Let me look. ", tools: [{ name: "read_file", args: { file_path: "hello.txt", start_line: 1, end_line: 2 } }] },
    { tools: [{ name: "list_directory", args: { dir_path: "lib" } }] },
    { tools: [{ name: "replace", args: edit }] },
    { tools: [{ name: "write_file", args: { file_path: "NOTE.md", content: "# Note\n" } }] },
    { tools: [{ name: "run_shell_command", args: { command: "head -n 1 hello.txt; env" } }] },
    { text: "Changed the greeting." },
  );
  const session = await scene.start("gemini:gemini-2.5-flash");
  const after = await scene.engine.work(session, "say hello to ferry");
  expect(after).toMatchObject({ status: "active", agent_status: "idle" });
  expect(after.head_commit).not.toBe(session.base_commit);
  const events = await scene.events(session);
  const told = events.map(({ payload }) => payload);
  expect(told).toContainEqual(
    expect.objectContaining({ type: "agent_file_read_range", path: "hello.txt", start_line: 1, end_line: 2 }),
  );
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
  expect(ran).toMatchObject({ output: expect.stringMatching(/^hello ferry\n/u) as string });
  expect(told.at(-1)).toMatchObject({ type: "agent_message", message: "Changed the greeting." });
  expect(scene.model.calls.map(({ headers }) => headers["x-goog-api-key"])).toContain(realKey);
  expect(JSON.stringify(events)).not.toContain(realKey);
});

test("Gemini CLI asks before an edit, and goes on with the answer", async () => {
  await scene.close();
  scene = await makeAgentScene({ permissions: "ask" });
  scene.model.play({ tools: [{ name: "replace", args: edit }] }, { text: "So be it." });
  const session = await scene.start("gemini:gemini-2.5-flash");
  const asked = await answer(scene, session, "say hello to ferry", "2");
  expect(asked.payload).toMatchObject({ question: "May the agent do this? hello.txt: hello world => hello ferry" });
  const told = (await scene.events(session)).map(({ payload }) => payload);
  expect(told).toContainEqual(expect.objectContaining({ type: "agent_file_edit", file_path: "hello.txt" }));
});

test("Gemini CLI uses ferry's tools, and knows what was said before a restart of the service", async () => {
  const session = await expectTools(scene, "gemini:gemini-2.5-flash", "mcp_ferry_uncommitted_changes");
  // From its own file, or from a record: loading a session in the minute in which it began it empties that file.
  await expectReturn(scene, session);
});
