import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { AgentChange } from "../../../src/service/agent/agent.ts";
import { makeReducer } from "../../../src/service/agent/reducer/reducer.ts";
import type { Payload } from "../../../src/wire/event.ts";

/** A line of what a real agent sent in a turn, as it was recorded. */
interface Recorded {
  readonly update?: SessionUpdate;
  readonly permission?: Pick<RequestPermissionRequest, "toolCall">;
}

/** The timeline that comes of it: each event as it is at the end, in the order in which they began, and where files are looked at. */
function replay(name: string): (Payload | "look")[] {
  const path = fileURLToPath(new URL(`fixtures/${name}.jsonl`, import.meta.url));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const reducer = makeReducer({ repositoryId: "rep_1", cwd: "/repo" });
  const changes = lines
    .map((line) => JSON.parse(line) as Recorded)
    .flatMap(({ update, permission }): AgentChange[] => {
      if (permission !== undefined) return reducer.ask(permission.toolCall);
      return update === undefined ? [] : reducer.push(update);
    });
  const seen = new Map<string, Payload | "look">();
  [...changes, ...reducer.end()].forEach((change, at) => {
    if (change.type === "event") seen.set(change.key, change.payload);
    if (change.type === "worked") seen.set(`look ${at}`, "look");
  });
  return [...seen.values()].map((payload) => (payload === "look" ? payload : withoutRepository(payload)));
}

function withoutRepository(payload: Payload): Payload {
  const { repository_id: _, ...rest } = payload as Payload & { repository_id?: string };
  return rest as Payload;
}

/** Those that took no part in a look. */
const told = (name: string) => replay(name).filter((payload): payload is Payload => payload !== "look");

test("opencode: reads of files, of a part and of a folder; todos as a plan; the exit status from its metadata; failed searches are none", () => {
  expect(told("opencode")).toEqual([
    { type: "agent_message", message: "Let me look. " },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_message", message: "Range. " },
    { type: "agent_file_tree_browse", path: "." },
    { type: "agent_file_read_range", path: "hello.txt", start_line: 1, end_line: 3 },
    { type: "agent_message", message: "Plan. " },
    { type: "agent_plan_execution_update", entries: [{ content: "change", status: "in_progress", priority: "high" }] },
    {
      type: "agent_run_repository_command",
      command: "git status --short && cat hello.txt; env | grep -i key; exit 3",
      output: " M hello.txt\n?? NOTE.md\nhello ferry\nb\nc\nd\ne\nGIT_CONFIG_KEY_0=safe.directory\n",
      exit_code: 3,
    },
    { type: "agent_web_browse", url: "https://example.com/" },
    { type: "agent_message", message: "Changed it." },
  ]);
});

test("Claude: output without its Markdown, exit status from its first line, edits by asking git, a search of the web", () => {
  expect(told("claude")).toMatchObject([
    { type: "agent_message", message: "Let me look. " },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_message", message: "Range. " },
    { type: "agent_file_read_range", path: "hello.txt", start_line: 2, end_line: 4 },
    { type: "agent_message", message: "Plan. " },
    { type: "agent_plan_execution_update", entries: [{ status: "in_progress" }, { status: "pending" }] },
    { type: "agent_run_repository_command", output: expect.stringMatching(/^ M hello\.txt\n/u) as string, exit_code: 3 },
    { type: "agent_web_browse", url: "https://example.com/" },
    { type: "agent_web_browse", query: "ferries" },
    { type: "agent_run_repository_command", command: "mv NOTE.md NOTES.md && rm hello.txt", output: "", exit_code: 0 },
    { type: "agent_message", message: "Changed it." },
  ]);
});

test("Codex: commands that only look, by their titles; a tool of an MCP server is no command, also where it asks; exit status beside the call", () => {
  expect(told("codex")).toMatchObject([
    { type: "agent_message", message: "Let me look. " },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_search_files", query: "hello", matches: [{ path: "hello.txt", line: 1, text: "hello world" }] },
    { type: "agent_file_tree_browse", path: "lib" },
    { type: "agent_message", message: "Patch. " },
    {
      type: "agent_run_repository_command",
      command: "head -n 1 hello.txt; env | grep -i key; git status --short; exit 3",
      output: expect.stringMatching(/^hello ferry\n/u) as string,
      exit_code: 3,
    },
    { type: "agent_message", message: "Changed the greeting." },
  ]);
});

test("Gemini: a range, a folder, a search and its pattern from words for people; a search of the web among those of files", () => {
  expect(told("gemini")).toMatchObject([
    { type: "agent_message", message: "Let me look. " },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_message", message: "Range. " },
    { type: "agent_file_read_range", path: "hello.txt", start_line: 2, end_line: 4 },
    { type: "agent_file_tree_browse", path: "lib" },
    { type: "agent_search_files", query: "hello" },
    { type: "agent_search_files_v2", glob: "**/*.txt" },
    { type: "agent_message", message: "Plan. " },
    { type: "agent_run_repository_command", output: expect.stringMatching(/^hello ferry\n/u) as string, exit_code: null },
    { type: "agent_run_repository_command", command: "echo hi", output: "hi", exit_code: null },
    { type: "agent_web_browse", url: "https://example.com/" },
    { type: "agent_web_browse", query: "ferries" },
    { type: "agent_message", message: "Changed the greeting." },
  ]);
});

test("Qwen: output and exit status out of its report, edits that it tells of only where it asks, usage in empty messages", () => {
  expect(told("qwen")).toEqual([
    { type: "agent_message", message: "Let me look. " },
    { type: "agent_file_read", paths: ["hello.txt"] },
    { type: "agent_run_repository_command", command: "head -n 1 hello.txt", output: "hello ferry", exit_code: 0 },
    { type: "agent_message", message: "Changed the greeting." },
  ]);
});

test("Claude: tasks that it keeps with tools of their own come as a plan, told again and again, and as no calls", () => {
  expect(replay("claude-tasks")).toEqual([
    {
      type: "agent_plan_execution_update",
      entries: [
        { content: "greet", status: "completed", priority: "medium" },
        { content: "tidy up", status: "pending", priority: "medium" },
      ],
    },
    "look",
  ]);
});

test("git is asked after each edit and each command, and where the agent asked first, too", () => {
  for (const [name, least] of [
    ["opencode", 4],
    ["opencode-ask", 2],
    ["claude", 4],
    ["codex", 2],
    ["gemini", 4],
    ["qwen", 3],
  ] as const)
    expect(replay(name).filter((entry) => entry === "look").length).toBeGreaterThanOrEqual(least);
});
