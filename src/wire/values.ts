/**
 * The words of the wire, as plain data: no schema library is loaded for them. The 34 event types, the event's statuses and the
 * scopes are the seed's; the other values are this project's choice where the seed shows none.
 */
export const eventTypes = [
  "user_message",
  "agent_message",
  "system_message",
  "session_finished",
  "session_closed",
  "merge_request_merged",
  "merge_request_closed",
  "agent_file_tree_browse",
  "agent_file_read",
  "agent_file_edit",
  "agent_file_create",
  "agent_file_remove",
  "agent_file_move",
  "agent_file_copy",
  "agent_file_read_range",
  "agent_read_around_match",
  "agent_search_files",
  "agent_search_files_v2",
  "agent_plan_execution_update",
  "agent_ask_user",
  "user_ask_user_response",
  "agent_branch_diff",
  "agent_uncommitted_changes",
  "agent_conflict_state",
  "agent_check_target_branch_mergeability",
  "agent_merge_remote_branch",
  "agent_pull_from_remote",
  "agent_push_to_remote",
  "agent_abort_conflict_resolution",
  "agent_rollback_uncommitted_changes",
  "agent_http_request",
  "agent_web_browse",
  "agent_run_repository_command",
  "agent_alert_created",
] as const;
export type EventType = (typeof eventTypes)[number];

export const eventStatuses = ["completed", "queued", "processing", "canceled"] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const sessionStatuses = ["active", "finished", "closed", "merged", "failed"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const agentStatuses = ["idle", "queued", "working", "waiting_for_user", "stopped", "failed"] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export const origins = ["app", "api", "deep_work", "schedule"] as const;
export const analysisStatuses = ["pending", "running", "completed", "failed"] as const;

/** Of scheduled agents: how often, on which days, and how one of their runs stands and came about. */
export const intervalUnits = ["hour", "day", "week", "month"] as const;
export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export const runStatuses = ["running", "completed", "failed", "skipped"] as const;
export const runTriggers = ["time", "user"] as const;

/** `git` is ours: any remote or local path, without a credential. */
export const platforms = ["gitlab", "git"] as const;
export type Platform = (typeof platforms)[number];

/** What a scope can be for, and `all`. */
export const scopedResources = ["sessions", "code-providers", "repositories"] as const;
export type ScopedResource = (typeof scopedResources)[number];

export const scopes = [
  "sessions:read",
  "sessions:write",
  "sessions:all",
  "code-providers:read",
  "code-providers:write",
  "code-providers:all",
  "repositories:read",
  "repositories:write",
  "repositories:all",
  "all:read",
  "all:write",
  "all:all",
] as const;
export type Scope = (typeof scopes)[number];

export type Access = "read" | "write";

/** What an operation is about: one of the seed's three resources, or `all` for what concerns the whole workspace (keys). */
export type GuardedResource = ScopedResource | "all";

/** The four scopes of which a key must hold at least one (seed, Authentication 3); for the whole workspace there are two. */
export function acceptedScopes(resource: GuardedResource, access: Access): Scope[] {
  const whole: Scope[] = [`all:${access}`, "all:all"];
  return resource === "all" ? whole : [`${resource}:${access}`, `${resource}:all`, ...whole];
}

/** The parts of our extension that a service can have, as `GET /api/v1/cli` lists them. */
export const capabilities = [
  "login",
  "stream",
  "after",
  "types",
  "sessions",
  "patches",
  "bundle",
  "uncommitted",
  "answer",
  "cancel",
  "close",
  "keys",
  "schedules",
] as const;
export type Capability = (typeof capabilities)[number];
