import { z } from "zod";
import type { Known } from "./known.ts";
import { eventStatuses, eventTypes, type EventType } from "./values.ts";

const actor = z.looseObject({
  id: z.string(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  email: z.string().nullish(),
});

const text = z.string();
const texts = z.array(z.string());

/** A payload whose shape the seed shows. */
function shown<T extends EventType, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), ...shape });
}

/** A payload that the seed doesn't show: our nearest sensible fields, all of them optional for a reader. */
function ours<T extends EventType, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), ...z.object(shape).partial().shape });
}

const match = z.looseObject({ path: text, line: z.number(), text });
const option = z.looseObject({ id: text, name: text, description: text.optional() });
const planEntry = z.looseObject({
  content: text,
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: text.optional(),
});

/** The payload of each of the 34 event types; its `type` repeats the event's. Unknown further fields are kept. */
export const payloads = {
  user_message: shown("user_message", { message: text }),
  agent_message: shown("agent_message", { message: text }),
  system_message: shown("system_message", { message: text }),
  session_finished: shown("session_finished", { actor }),
  session_closed: shown("session_closed", { actor }),
  merge_request_merged: shown("merge_request_merged", { actor }),
  merge_request_closed: shown("merge_request_closed", { actor }),
  agent_file_tree_browse: shown("agent_file_tree_browse", { repository_id: text, path: text }),
  agent_file_read: shown("agent_file_read", { repository_id: text, paths: texts }),
  agent_file_edit: shown("agent_file_edit", { repository_id: text, file_path: text, diff: text }),
  agent_file_create: shown("agent_file_create", { repository_id: text, file_path: text, diff: text }),
  agent_file_remove: shown("agent_file_remove", { repository_id: text, file_path: text }),
  agent_file_move: shown("agent_file_move", {
    repository_id: text,
    source_path: text,
    destination_path: text,
    diff: text.optional(),
  }),
  agent_file_copy: shown("agent_file_copy", {
    repository_id: text,
    source_path: text,
    destination_path: text,
    diff: text.optional(),
  }),
  agent_file_read_range: shown("agent_file_read_range", {
    repository_id: text,
    path: text,
    start_line: z.number(),
    end_line: z.number(),
  }),
  // The seed shows these fields but not the type's name among the 34: this is the one that fits.
  agent_read_around_match: shown("agent_read_around_match", {
    repository_id: text,
    query: text,
    path: text,
    matches: z.array(z.unknown()),
  }),
  agent_search_files: ours("agent_search_files", { repository_id: text, query: text, path: text, matches: z.array(match) }),
  agent_search_files_v2: ours("agent_search_files_v2", {
    repository_id: text,
    query: text,
    path: text,
    glob: text,
    matches: z.array(match),
  }),
  agent_plan_execution_update: ours("agent_plan_execution_update", { entries: z.array(planEntry) }),
  agent_ask_user: ours("agent_ask_user", { question: text, options: z.array(option) }),
  user_ask_user_response: ours("user_ask_user_response", { reply_to: text, message: text, option_id: text }),
  agent_branch_diff: ours("agent_branch_diff", { repository_id: text, base: text, head: text, diff: text }),
  agent_uncommitted_changes: ours("agent_uncommitted_changes", { repository_id: text, diff: text, paths: texts }),
  agent_conflict_state: ours("agent_conflict_state", { repository_id: text, paths: texts }),
  agent_check_target_branch_mergeability: ours("agent_check_target_branch_mergeability", {
    repository_id: text,
    target_branch: text,
    mergeable: z.boolean(),
    paths: texts,
  }),
  agent_merge_remote_branch: ours("agent_merge_remote_branch", {
    repository_id: text,
    branch: text,
    commit: text,
    paths: texts,
  }),
  agent_pull_from_remote: ours("agent_pull_from_remote", { repository_id: text, branch: text, commit: text }),
  agent_push_to_remote: ours("agent_push_to_remote", { repository_id: text, branch: text, commit: text }),
  agent_abort_conflict_resolution: ours("agent_abort_conflict_resolution", { repository_id: text }),
  agent_rollback_uncommitted_changes: ours("agent_rollback_uncommitted_changes", { repository_id: text, paths: texts }),
  agent_http_request: ours("agent_http_request", { method: text, url: text, status: z.number() }),
  agent_web_browse: ours("agent_web_browse", { url: text, title: text, query: text }),
  agent_run_repository_command: ours("agent_run_repository_command", {
    repository_id: text,
    command: text,
    output: text,
    /** null while it runs and where a signal ended it. */
    exit_code: z.number().nullable(),
    signal: text,
    duration_ms: z.number(),
    /** Bytes of output that were left out of the middle. */
    cut: z.number(),
  }),
  agent_alert_created: ours("agent_alert_created", { severity: text, title: text, message: text }),
} as const satisfies Record<EventType, z.ZodType>;

export type Payloads = { [T in EventType]: z.infer<(typeof payloads)[T]> };
export type Payload = Payloads[EventType];

/** One entry of a session's timeline. `revision` is our extension's: it grows with each insert and update in the session. */
export const sessionEvent = z.looseObject({
  id: z.string(),
  session_id: z.string(),
  type: z.enum(eventTypes),
  payload: z.discriminatedUnion("type", Object.values(payloads) as [typeof payloads.user_message, ...z.ZodObject[]]),
  status: z.enum(eventStatuses),
  client_id: z.string(),
  session_goal_id: z.string(),
  session_task_id: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  revision: z.number().int().min(1).optional(),
});

/** An event as our service makes it: each type with its own payload. */
export type SessionEvent = {
  [T in EventType]: Omit<Known<z.infer<typeof sessionEvent>>, "type" | "payload"> & { type: T; payload: Payloads[T] };
}[EventType];
