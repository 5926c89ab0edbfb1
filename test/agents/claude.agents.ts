import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentScene, answer, expectCancel, expectToolsAndReturn, makeAgentScene, realKey } from "../support/real-agents.ts";

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
  const session = await scene.start("claude");
  const asked = await answer(scene, session, "paint it", "2");
  expect(asked.payload).toMatchObject({
    question: "Which colour?",
    options: [{ name: "Red", description: "warm" }, { name: "Blue" }],
  });
  const { messages = [] } = scene.model.calls.at(-1)?.body ?? {};
  expect(JSON.stringify(messages.at(-1))).toContain("Blue");
  expect((await scene.events(session)).at(-1)?.payload).toMatchObject({ type: "agent_message", message: "So be it." });
});

test("Claude Code reads, plans, edits, creates and runs a command, and its work comes out as a commit", async () => {
  scene.model.play(
    { text: "Let me look. ", tools: [{ name: "Read", args: { file_path: "/repo/hello.txt" } }] },
    {
      tools: ["greet", "tidy up"].map((subject) => ({
        name: "TaskCreate",
        args: { subject, description: `${subject}, for ferry` },
      })),
    },
    { tools: [{ name: "TaskUpdate", args: { taskId: "1", status: "in_progress" } }] },
    { tools: [{ name: "Edit", args: { file_path: "/repo/hello.txt", old_string: "hello world", new_string: "hello ferry" } }] },
    { tools: [{ name: "Write", args: { file_path: "/repo/NOTE.md", content: "# Note\n" } }] },
    { tools: [{ name: "Bash", args: { command: "mv NOTE.md NOTES.md; rm lib/other.txt; env", description: "move" } }] },
    { tools: [{ name: "TaskUpdate", args: { taskId: "1", status: "completed" } }] },
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
      type: "agent_plan_execution_update",
      entries: [
        expect.objectContaining({ content: "greet", status: "completed" }),
        expect.objectContaining({ content: "tidy up", status: "pending" }),
      ] as unknown[],
    }),
  );
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

test("Claude Code asks before a command by the policy `ask`; the answer decides whether it runs", async () => {
  await scene.close();
  scene = await makeAgentScene({ permissions: "ask" });
  const touch = (name: string) => ({ tools: [{ name: "Bash", args: { command: `touch ${name}`, description: "make it" } }] });
  const session = await scene.start("claude");
  for (const [name, reply] of [
    ["made.txt", "yes"],
    ["never.txt", "no"],
  ] as const) {
    scene.model.play(touch(name), { text: "So be it." });
    const asked = await answer(scene, session, "make it", reply);
    expect(asked.payload).toMatchObject({ question: `May the agent do this? touch ${name}` });
  }
  const told = (await scene.events(session)).map(({ payload }) => payload);
  const made = told.filter(({ type }) => type === "agent_file_create");
  expect(made).toEqual([expect.objectContaining({ file_path: "made.txt" })]);
});

test("a cancel ends a command of Claude Code's with all its children, and the next message is worked on", () =>
  expectCancel(scene, "claude", (command) => ({ tools: [{ name: "Bash", args: { command, description: "wait" } }] })));

test("Claude Code uses ferry's tools, and goes on with its session after a restart of the service", async () => {
  await expectToolsAndReturn(scene, "claude", "mcp__ferry__uncommitted_changes");
});
