import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import type { AgentChange } from "../../../src/service/agent/agent.ts";
import { makeReducer } from "../../../src/service/agent/reducer/reducer.ts";

function reduce(...updates: SessionUpdate[]): AgentChange[] {
  const reducer = makeReducer({ repositoryId: "rep_1", cwd: "/repo" });
  return [...updates.flatMap((update) => reducer.push(update)), ...reducer.end()];
}

const say = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...(messageId !== undefined && { messageId }),
});
const spoken = (changes: readonly AgentChange[]) =>
  changes.flatMap((change) =>
    change.type === "event" && change.payload.type === "agent_message" ? [change.payload.message] : [],
  );

describe("messages", () => {
  test("are joined from their words, told as they come, and over at the end of the turn", () => {
    expect(reduce(say("Hello "), say("world"))).toEqual([
      { type: "delta", text: "Hello " },
      { type: "delta", text: "world" },
      { type: "event", key: "message 0", payload: { type: "agent_message", message: "Hello world" }, done: true },
    ]);
  });

  test("end where another begins or the agent does something", () => {
    expect(spoken(reduce(say("one", "a"), say("two", "b"), { sessionUpdate: "plan", entries: [] }, say("three", "b")))).toEqual([
      "one",
      "two",
      "three",
    ]);
  });

  test("thoughts and pictures are none", () => {
    expect(
      reduce(
        { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
        { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } },
      ),
    ).toEqual([]);
  });
});

describe("tool calls", () => {
  test("a command is one event that grows, in whatever pieces it is told", () => {
    const changes = reduce(
      { sessionUpdate: "tool_call_update", toolCallId: "t", kind: "execute", title: "ls" },
      { sessionUpdate: "tool_call", toolCallId: "t", title: "ls -l", status: "in_progress", rawInput: { command: "ls -l -a" } },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "out" } }],
        rawOutput: { exit_code: 0, duration_ms: 5, cut: 0 },
      },
    );
    expect(changes.map((change) => (change.type === "event" ? [change.key, change.done] : [change.type]))).toEqual([
      ["t", false],
      ["t", true],
      ["worked"],
    ]);
    expect(changes[1]).toMatchObject({
      payload: {
        type: "agent_run_repository_command",
        repository_id: "rep_1",
        command: "ls -l -a",
        output: "out",
        exit_code: 0,
        duration_ms: 5,
      },
    });
  });

  test("what may have changed files asks for a look, what only reads doesn't", () => {
    const call = (kind: "edit" | "read" | "other", status: "completed" | "failed"): SessionUpdate => ({
      sessionUpdate: "tool_call",
      toolCallId: kind,
      title: kind,
      kind,
      status,
    });
    expect(reduce(call("edit", "completed"), call("read", "completed"), call("other", "failed"))).toEqual([
      { type: "worked" },
      { type: "worked" },
    ]);
  });

  test.each([
    ["one\nError: two", "3", { output: "one\nError: two", exit_code: 3 }],
    ["(empty)", "(none)", { output: "", exit_code: null }],
  ])("a command's output is taken out of Qwen's report", (output, code, payload) => {
    const text = `Command: make\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: 7`;
    const content = [{ type: "content" as const, content: { type: "text" as const, text } }];
    const call = {
      toolCallId: "t",
      title: "make",
      kind: "execute" as const,
      status: "completed" as const,
      rawInput: { command: "make" },
    };
    expect(reduce({ sessionUpdate: "tool_call", ...call, content })[0]).toMatchObject({ payload });
  });

  test("updates of one that is over say nothing more", () => {
    const over: SessionUpdate = { sessionUpdate: "tool_call", toolCallId: "t", title: "x", kind: "execute", status: "failed" };
    expect(reduce(over, { ...over, sessionUpdate: "tool_call_update" })).toHaveLength(2);
  });
});

test("a cost in dollars is told as it is; without one, or in another currency, there is nothing to tell", () => {
  const usage = { sessionUpdate: "usage_update", used: 1, size: 2 } as const;
  const paid = (amount: number, currency: string): SessionUpdate => ({ ...usage, cost: { amount, currency } });
  expect(reduce(usage, paid(0.5, "EUR"), paid(0.25, "USD"))).toEqual([{ type: "cost", total: 0.25 }]);
  for (const amount of [-5, 1e308, Number.NaN, Number.POSITIVE_INFINITY]) expect(reduce(paid(amount, "USD"))).toEqual([]);
});

test("a plan is one event that is replaced", () => {
  const plan = (status: "pending" | "completed"): SessionUpdate => ({
    sessionUpdate: "plan",
    entries: [{ content: "do it", status, priority: "high" }],
  });
  expect(reduce(plan("pending"), plan("completed"))).toMatchObject([
    { key: "plan", payload: { entries: [{ content: "do it", status: "pending", priority: "high" }] } },
    { key: "plan", payload: { entries: [{ status: "completed" }] } },
  ]);
});
