import fc from "fast-check";
import stringWidth from "string-width";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { renderEvent, renderUpdate } from "../../../src/cli/output/event.ts";
import type { Canvas } from "../../../src/cli/output/timeline/canvas.ts";
import type { TimelineEvent } from "../../../src/client/timeline/items.ts";
import { eventTypes } from "../../../src/wire/values.ts";
import { someEvent, testCanvas } from "../../support/canvas.ts";

const time = new Date("2026-01-01T10:20:30.000Z").toTimeString().slice(0, 8);
const diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n";
const actor = { id: "usr_1", first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" };
const hunk = ["@@ -1,3 +1,3 @@", " a", "-b", "+c", " d"];

/** Each of the 34 types as it looks on a wide terminal: the glyph and what follows it, then the lines below. */
const looks: readonly [type: string, payload: object, first: string, ...rest: string[]][] = [
  ["user_message", { message: "fix it\n\nplease" }, "› fix it", "", "please"],
  ["agent_message", { message: "I **will**:\n- one\n- two" }, "● I will:", "• one", "• two"],
  ["system_message", { message: "the agent died" }, "· the agent died"],
  ["session_finished", { actor }, "✓ session finished by Ada Lovelace"],
  ["session_closed", { actor: { id: "u", first_name: null, email: "a@b" } }, "■ session closed by a@b"],
  [
    "merge_request_merged",
    { actor: { id: "usr_9", first_name: null, last_name: null, email: null } },
    "✓ merge request merged by usr_9",
  ],
  ["merge_request_closed", { actor: null }, "■ merge request closed without merging by someone"],
  ["agent_file_tree_browse", { path: "" }, "▸ looked into ."],
  ["agent_file_read", { paths: ["a b", "c"] }, "▸ read a b, c"],
  ["agent_file_read_range", { path: "a", start_line: 3, end_line: 9 }, "▸ read a:3-9"],
  ["agent_file_edit", { file_path: "x", diff }, "± edited x +1 −1", ...hunk],
  ["agent_file_create", { file_path: "x", diff: "@@ -0,0 +1 @@\n+new\n" }, "+ created x +1 −0", "@@ -0,0 +1 @@", "+new"],
  ["agent_file_remove", { file_path: "x" }, "− removed x"],
  ["agent_file_move", { source_path: "a", destination_path: "b" }, "→ moved a → b"],
  ["agent_file_copy", { source_path: "a", destination_path: "b", diff }, "→ copied a → b +1 −1", ...hunk],
  ["agent_read_around_match", { query: "q", path: "src", matches: [] }, "▸ searched q in src: 0 matches"],
  ["agent_search_files", { query: "q", matches: [{ path: "a", line: 3, text: "x  q" }] }, "▸ searched q: 1 match", "a:3  x q"],
  [
    "agent_search_files_v2",
    { query: "q", matches: Array(7).fill({ path: "a" }) },
    "▸ searched q: 7 matches",
    "a",
    "a",
    "a",
    "a",
    "a",
    "… 2 more",
  ],
  [
    "agent_plan_execution_update",
    {
      entries: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
        { content: "c", status: "pending" },
      ],
    },
    "≡ plan: 1 of 3 done",
    "✓ a",
    "◐ b",
    "○ c",
  ],
  [
    "agent_ask_user",
    {
      question: "which?",
      options: [
        { id: "x", name: "this", description: "fast" },
        { id: "y", name: "that" },
      ],
    },
    "? which?",
    "1  this  fast",
    "2  that",
  ],
  ["user_ask_user_response", { message: "2" }, "› answer: 2"],
  ["agent_branch_diff", { base: "main", head: "topic", diff }, "⎇ compared main..topic +1 −1", ...hunk],
  ["agent_uncommitted_changes", { paths: ["a", "b"] }, "⎇ uncommitted: a, b"],
  ["agent_conflict_state", { paths: ["a"] }, "! conflicts: a"],
  [
    "agent_check_target_branch_mergeability",
    { target_branch: "main", mergeable: false, paths: ["a"] },
    "! can't be merged into main: a",
  ],
  ["agent_merge_remote_branch", { branch: "main", commit: "0123456789abcdef" }, "⎇ merged main (0123456789ab)"],
  ["agent_pull_from_remote", { branch: "main" }, "⎇ pulled main"],
  ["agent_push_to_remote", { branch: "main" }, "⎇ pushed main"],
  ["agent_abort_conflict_resolution", {}, "⎇ gave up resolving the conflicts"],
  ["agent_rollback_uncommitted_changes", {}, "⎇ took back what was not committed"],
  ["agent_http_request", { method: "GET", url: "https://x/", status: 200 }, "↗ GET https://x/ 200"],
  ["agent_web_browse", { query: "how to" }, "↗ searched the web for how to"],
  [
    "agent_run_repository_command",
    { command: "make", output: "a\nb\n", exit_code: 2, duration_ms: 1500 },
    "$ make",
    "a",
    "b",
    "✗ exit 2 in 1.5 s",
  ],
  ["agent_alert_created", { severity: "high", title: "Disk", message: "full" }, "! high: Disk: full"],
];

test("there is a look for each type", () => {
  expect(looks.map(([type]) => type).sort()).toEqual([...eventTypes].sort());
});

test.each(looks)("%s", (type, payload, first, ...rest) => {
  const lines = renderEvent(someEvent(type, payload), testCanvas());
  expect(lines).toEqual([`${time}  ${first}`, ...rest.map((line) => `            ${line}`.trimEnd())]);
});

test("a search of which nobody says what it found doesn't say that it was nothing", () => {
  expect(renderEvent(someEvent("agent_search_files", { query: "q" }), testCanvas())).toEqual([`${time}  ▸ searched q`]);
});

describe("a question", () => {
  const ask = (status: string) =>
    renderEvent(someEvent("agent_ask_user", { question: "why?", options: [] }, status), testCanvas())
      .at(-1)
      ?.trim();

  test("says how to answer while there is no answer", () => {
    expect(ask("processing")).toBe("answer with: ferry say TEXT");
    expect(ask("completed")).toBe(`${time}  ? why?`);
  });
});

describe("a change of what was shown", () => {
  const update = (type: string, payload: object, status: string) => renderUpdate(someEvent(type, payload, status), testCanvas());

  test("is told where it says something", () => {
    expect(update("user_message", { message: "fix\nit" }, "processing")).toEqual([`${time}  › taken up: fix it`]);
    expect(update("user_message", { message: "fix" }, "canceled")).toEqual([`${time}  › canceled: fix`]);
    expect(update("user_message", { message: "fix" }, "completed")).toEqual([]);
    expect(update("agent_ask_user", { question: "?" }, "completed")).toEqual([]);
    expect(update("agent_run_repository_command", { command: "x", output: "a" }, "processing")).toEqual([]);
    expect(update("agent_run_repository_command", { command: "x", exit_code: 0 }, "completed")).toEqual([`${time}  ✓ exit 0: x`]);
    expect(update("agent_run_repository_command", { command: "x\ny", output: "a\n", exit_code: 2 }, "completed")).toEqual([
      `${time}  ✗ exit 2: x y`,
      "            a",
    ]);
    expect(update("agent_message", { message: "more" }, "completed")).toEqual([`${time}  ● more`]);
  });
});

describe("what the seed doesn't promise", () => {
  const render = (event: TimelineEvent, canvas: Canvas = testCanvas()) => renderEvent(event, canvas).join("\n");

  test("an unknown type shows its name and what it says", () => {
    expect(render(someEvent("agent_dances", { style: "waltz" }))).toBe(`${time}  · agent_dances {"style":"waltz"}`);
    expect(render({ id: "x" })).toMatch(/· event$/);
  });

  test.each([
    ["agent_push_to_remote", { success: false, error: "rejected" }],
    ["agent_run_repository_command", { cmd: "npm test", code: 1 }],
    ["agent_search_files", { pattern: "x", results: ["a", "b"] }],
    ["agent_plan_execution_update", { steps: ["one"] }],
    ["agent_check_target_branch_mergeability", { can_merge: false }],
    ["agent_abort_conflict_resolution", { aborted: false }],
    ["agent_ask_user", { message: "Which?", choices: [{ label: "Postgres" }] }],
    ["agent_message", { text: "hi" }],
    ["agent_message", { message: [{ type: "text", text: "hi" }] }],
    ["agent_push_to_remote", { branch: "b", success: false }],
    ["agent_merge_remote_branch", { branch: "main", conflicts: ["a.ts"] }],
    ["agent_merge_remote_branch", { branch: "b", paths: [{ at: "a" }] }],
    ["agent_run_repository_command", { command: ["npm", "test"] }],
    ["agent_plan_execution_update", { entries: [{ title: "one" }] }],
    ["agent_alert_created", { severity: "high", title: { text: "full" } }],
  ])("a %s of another shape says what it holds, and nothing that isn't so", (type, payload) => {
    const event = { ...someEvent(type), payload };
    expect(render(event)).toBe(`${time}  · ${type} ${JSON.stringify(payload)}`);
    // That a question was answered is told by the answer.
    const changed = type === "agent_ask_user" ? [] : [`${time}  · ${type} ${JSON.stringify(payload)}`];
    expect(renderUpdate(event, testCanvas())).toEqual(changed);
  });

  test("bare texts in the place of options, entries and matches are what they say", () => {
    const options = { question: "Go on?", options: ["Yes", "No"] };
    expect(render(someEvent("agent_ask_user", options))).toMatch(/1 {2}Yes\n +2 {2}No/u);
    expect(render(someEvent("agent_ask_user", { question: "?", options: [5, true, ["a"], null] }))).toMatch(
      /1 {2}5\n +2 {2}true\n +3 {2}\["a"\]\n +4 {2}null/u,
    );
    const others = [{ id: "yes", label: "Yes, delete it" }, { id: "no" }, { key: "later" }];
    expect(render(someEvent("agent_ask_user", { question: "Delete?", options: others }))).toMatch(
      /1 {2}Yes, delete it\n +2 {2}no\n +3 {2}\{"key":"later"\}/u,
    );
    expect(render(someEvent("agent_plan_execution_update", { entries: ["one"] }))).toContain("one");
    expect(render(someEvent("agent_search_files", { query: "x", matches: ["a.ts"] }))).toContain("a.ts");
  });

  test.each([null, undefined, "text", 3, [], { type: "other" }, { message: 3 }, { message: null }])(
    "a payload of %j is no fault",
    (payload) => {
      for (const type of eventTypes)
        expect(render({ ...someEvent(type), payload } as TimelineEvent)).not.toMatch(/undefined|null|\[object/);
    },
  );

  test("a time that is none leaves its place empty on a terminal, and is shown as it came in a pipe", () => {
    const event = { ...someEvent("system_message", { message: "x" }), created_at: "yesterday" };
    expect(render(event)).toBe("          · x");
    expect(render(event, testCanvas({ isTTY: false }))).toBe("yesterday                 · x");
  });
});

describe("whatever a service sends", () => {
  const nasty = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.constantFrom(
      "\u001b[2J\u001b]0;x\u0007",
      "\r\u0008\u009b31m",
      "\u202eabc\u2066",
      "\u200b\u{e0041}",
      "a\u200db\u00ad\u3164\ufff9",
      "a\u0300\u0301".repeat(30),
      "你好".repeat(60),
      "👨‍👩‍👧‍👦".repeat(20),
      "x".repeat(5000),
      "**".repeat(50),
      "\n\n\t\t|x|",
    ),
  );
  const value = fc.oneof(nasty, fc.array(nasty, { maxLength: 3 }), fc.integer(), fc.constant(null));
  const names = [
    "message",
    "file_path",
    "path",
    "paths",
    "diff",
    "command",
    "output",
    "question",
    "query",
    "url",
    "title",
    "branch",
    "source_path",
    "exit_code",
  ];
  const listed = fc.array(
    fc.record({ content: value, status: value, name: value, description: value, path: value, text: value, line: value }),
    { maxLength: 3 },
  );
  const payload = fc.record({
    ...Object.fromEntries(names.map((name) => [name, value])),
    entries: listed,
    options: listed,
    matches: listed,
    actor: fc.record({ id: value, first_name: value }),
  });
  const screen = fc.record({ columns: fc.constantFrom(20, 40, 80), color: fc.boolean() });
  const type = fc.oneof(fc.constantFrom<string>(...eventTypes), nasty);

  test("nothing moves the cursor, and nothing is wider than the terminal", () => {
    fc.assert(
      fc.property(type, payload, nasty, screen, (kind, given, createdAt, { columns, color }) => {
        const event = { ...someEvent(kind, given), type: kind, created_at: createdAt };
        const canvas = testCanvas({ columns, color });
        for (const line of [...renderEvent(event, canvas), ...renderUpdate(event, canvas)]) {
          const plain = line.replace(/\u001b\[\d+m/g, "");
          expect(plain).not.toMatch(
            /[\u0000-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u3164\ufff9]/u,
          );
          expect(stringWidth(stripVTControlCharacters(plain))).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("without Unicode all of it is ASCII", () => {
    fc.assert(
      fc.property(type, payload, (kind, given) => {
        for (const line of renderEvent(someEvent(kind, given), testCanvas({ unicode: false })))
          expect(line).toMatch(/^[\u0020-\u007e]*$/);
      }),
    );
  });

  test("in a pipe nothing is coloured, wrapped or cut", () => {
    const message = `${"word ".repeat(100)}\n${"x".repeat(1000)}`;
    const lines = renderEvent(someEvent("agent_message", { message }), testCanvas({ isTTY: false }));
    expect(lines.map((line) => line.length)).toEqual([28 + 499, 28 + 1000]);
  });

  test("a message of 10,000 lines, and a line of 1 MB, take no time to speak of", () => {
    const start = performance.now();
    renderEvent(
      someEvent("agent_message", { message: Array(10_000).fill("a *line* with `code` and **more**").join("\n") }),
      testCanvas(),
    );
    renderEvent(someEvent("agent_message", { message: "x*_`[".repeat(200_000) }), testCanvas());
    renderEvent(someEvent("agent_file_edit", { file_path: "x", diff: `@@ -0,0 +1 @@\n+${"你".repeat(500_000)}` }), testCanvas());
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
