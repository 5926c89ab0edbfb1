import type { TimelineEvent } from "../../../client/timeline/items.ts";
import type { Payloads } from "../../../wire/event.ts";
import type { Known } from "../../../wire/known.ts";
import type { EventType } from "../../../wire/values.ts";

/** The fields that the line of a type tells, any of which is enough for it; null where there is something to tell without any. */
const told: { readonly [T in EventType]: readonly (keyof Known<Payloads[T]> & string)[] | null } = {
  user_message: ["message"],
  agent_message: ["message"],
  system_message: ["message"],
  session_finished: null,
  session_closed: null,
  merge_request_merged: null,
  merge_request_closed: null,
  agent_file_tree_browse: ["path"],
  agent_file_read: ["paths"],
  agent_file_edit: ["file_path"],
  agent_file_create: ["file_path"],
  agent_file_remove: ["file_path"],
  agent_file_move: ["source_path", "destination_path"],
  agent_file_copy: ["source_path", "destination_path"],
  agent_file_read_range: ["path"],
  agent_read_around_match: ["query", "path", "matches"],
  agent_search_files: ["query", "path", "matches"],
  agent_search_files_v2: ["query", "path", "glob", "matches"],
  agent_plan_execution_update: ["entries"],
  agent_ask_user: ["question"],
  user_ask_user_response: ["message", "option_id"],
  agent_branch_diff: ["base", "head", "diff"],
  agent_uncommitted_changes: ["diff", "paths"],
  agent_conflict_state: ["paths"],
  agent_check_target_branch_mergeability: ["target_branch", "mergeable", "paths"],
  agent_merge_remote_branch: ["branch", "commit", "paths"],
  agent_pull_from_remote: ["branch", "commit"],
  agent_push_to_remote: ["branch", "commit"],
  agent_abort_conflict_resolution: [],
  agent_rollback_uncommitted_changes: ["paths"],
  agent_http_request: ["method", "url", "status"],
  agent_web_browse: ["url", "title", "query"],
  agent_run_repository_command: ["command"],
  agent_alert_created: ["severity", "title", "message"],
};

/** Those of them that are lists; all others are texts, numbers or a yes or no. */
const lists: ReadonlySet<string> = new Set(["paths", "matches", "entries"]);

/** What says that something was done on a branch or a remote: a field that we don't know may say that it wasn't. */
const claims: ReadonlySet<EventType> = new Set([
  "agent_check_target_branch_mergeability",
  "agent_merge_remote_branch",
  "agent_pull_from_remote",
  "agent_push_to_remote",
  "agent_abort_conflict_resolution",
  "agent_rollback_uncommitted_changes",
]);

/**
 * Whether a payload has another shape than the one that we know for its type. The seed shows few of them, so another service may have
 * its own: a line of ours would be blank then, or say what isn't so (`pushed`, of a push that failed).
 */
export function isForeign({ payload }: TimelineEvent, type: EventType): boolean {
  const names: readonly string[] | null = told[type];
  if (names === null || payload === undefined || payload === null) return false;
  if (typeof payload !== "object" || Array.isArray(payload)) return true;
  const given = Object.entries(payload as Readonly<Record<string, unknown>>).filter(
    ([name, value]) => value !== null && name !== "type" && name !== "repository_id",
  );
  const known = given.filter(([name]) => names.includes(name));
  if (known.some(([name, value]) => !isReadable(name, value))) return true;
  if (claims.has(type)) return given.some(([name]) => !names.includes(name) && !/(^|_)id$/u.test(name));
  return known.length === 0 && given.length > 0;
}

function isReadable(name: string, value: unknown): boolean {
  if (!lists.has(name)) return typeof value !== "object";
  if (!Array.isArray(value)) return false;
  if (name === "entries") return value.every(isPlanned);
  return name !== "paths" || value.every((path) => typeof path === "string");
}

/** What is planned, as our list has it. */
function isPlanned(entry: unknown): boolean {
  return typeof entry === "string" || typeof (entry as { content?: unknown } | null)?.content === "string";
}
