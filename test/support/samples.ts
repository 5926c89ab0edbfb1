import type { TimelineEvent } from "../../src/client/timeline/items.ts";

const diff = `diff --git a/src/follow.ts b/src/follow.ts
--- a/src/follow.ts
+++ b/src/follow.ts
@@ -1,4 +1,4 @@
 export function follow(session: Session): void {
-  const timeline = readTimeline(session, { order: "made", patience: 30_000, retries: 8 });
+  const timeline = readTimeline(session);
   show(timeline);
 }
`;
const longDiff = `@@ -0,0 +1,60 @@\n${Array.from({ length: 60 }, (_, at) => `+line ${at + 1}\n`).join("")}`;
const actor = { id: "usr_1", first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" };

const message = `## What I found

The follower **loses** events when the stream closes _between_ two revisions; see \`src/client/follow.ts\` and the [wire](https://example.com/wire).

1. subscribe first
2. list, then dedupe by id
   - 你好, wide characters count twice
- [x] a test for it
- [ ] the fix

> A heartbeat is no proof of life.

| way | cost |
| --- | ---- |
| SSE | one line |

\`\`\`ts
for await (const event of timeline) show(event); // a line of code that is longer than a narrow terminal
\`\`\``;

const plan = [
  { content: "Read how the follower takes up after a cut", status: "completed" },
  { content: "Write a test that cuts the stream at every byte", status: "in_progress" },
  { content: "Fix it", status: "pending" },
];
const options = [
  { id: "a", name: "Keep the old behaviour", description: "nobody has to change anything" },
  { id: "b", name: "Break it", description: "" },
];
const output = Array.from({ length: 14 }, (_, at) => `test ${at + 1} ok`).join("\n");
const matches = Array.from({ length: 7 }, (_, at) => ({ path: `src/file-${at}.ts`, line: at + 1, text: "const id = event.id;" }));

/** A session in which each type of event happens, and some in more than one way: type, payload, status. */
const told: readonly [type: string, payload: object | null, status?: string][] = [
  ["user_message", { message: "Events are lost when the stream closes.\nPlease find out why, and fix it." }],
  ["user_message", { message: "and update the docs" }, "queued"],
  ["agent_plan_execution_update", { entries: plan }],
  ["agent_file_tree_browse", { path: "src" }],
  ["agent_file_read", { paths: ["src/follow.ts", "src/a file with a very long name that no narrow terminal can hold.ts"] }],
  ["agent_file_read_range", { path: "src/follow.ts", start_line: 10, end_line: 80 }],
  ["agent_search_files", { query: "event.id", path: "src", matches }],
  ["agent_search_files_v2", { query: "nothing", matches: [] }],
  ["agent_read_around_match", { query: "lastEventId", path: "src", matches: matches.slice(0, 1) }],
  ["agent_message", { message }],
  ["agent_file_edit", { file_path: "src/follow.ts", diff }],
  ["agent_file_create", { file_path: "test/follow.test.ts", diff: longDiff }],
  ["agent_file_remove", { file_path: "src/old.ts" }],
  ["agent_file_move", { source_path: "src/a.ts", destination_path: "src/b.ts", diff: "" }],
  ["agent_file_copy", { source_path: "src/b.ts", destination_path: "src/c.ts", diff: "" }],
  ["agent_run_repository_command", { command: "npm test -- --run test/follow.test.ts", output: "" }, "processing"],
  ["agent_run_repository_command", { command: "npm test", output, exit_code: 0, duration_ms: 12_345 }],
  ["agent_run_repository_command", { command: "make\nmake install", output: "no rule", exit_code: 2, duration_ms: 90 }],
  ["agent_ask_user", { question: "Which of the two shall it be?", options }, "processing"],
  ["user_ask_user_response", { message: "2" }],
  ["agent_branch_diff", { base: "main", head: "ferry/4h2k9rkc", diff }],
  ["agent_uncommitted_changes", { paths: ["src/follow.ts"], diff: "" }],
  ["agent_conflict_state", { paths: ["src/follow.ts", "README.md"] }],
  ["agent_check_target_branch_mergeability", { target_branch: "main", mergeable: true }],
  ["agent_merge_remote_branch", { branch: "main", commit: "0123456789abcdef0123456789abcdef01234567" }],
  ["agent_pull_from_remote", { branch: "main", commit: "" }],
  ["agent_push_to_remote", { branch: "ferry/4h2k9rkc", commit: "0123456789abcdef" }],
  ["agent_abort_conflict_resolution", {}],
  ["agent_rollback_uncommitted_changes", { paths: [] }],
  ["agent_http_request", { method: "GET", url: "https://example.com/a/long/path?with=a&query=string", status: 404 }],
  ["agent_web_browse", { url: "https://example.com/", title: "Example Domain" }],
  ["agent_alert_created", { severity: "critical", title: "Disk", message: "the sandbox has 1 MB left" }],
  ["system_message", { message: "the agent was started again" }],
  ["agent_dances", { step: "left", partner: null }],
  ["agent_message", null],
  ["agent_message", { message: "\u001b[2J\u001b]0;owned\u0007 \u202egnp.exe \u200b" }],
  ["merge_request_closed", { actor: { id: "usr_9", first_name: null, last_name: null, email: null } }],
  ["merge_request_merged", { actor }],
  ["session_closed", { actor: null }],
  ["session_finished", { actor }],
];

/** That session's timeline, a second an event. */
export function sampleTimeline(): TimelineEvent[] {
  return told.map(([type, payload, status = "completed"], at) => {
    const made = new Date(Date.UTC(2026, 0, 1, 10, 0, at)).toISOString();
    const whole = payload === null ? null : { type, ...payload };
    return {
      id: `evt_${at + 1}`,
      session_id: "ses_1",
      type,
      status,
      payload: whole,
      created_at: made,
      updated_at: made,
    };
  });
}
