import type { SessionEvent } from "./event.ts";
import type { ApiKey, CliInfo, Provider, Repository, Session } from "./resources.ts";
import type { Schedule, ScheduleRun } from "./schedules.ts";

/** The names of each resource's fields, for whoever picks some of them: no schema library is loaded for that. A test keeps them whole. */
export const fields = {
  provider: ["id", "workspace_id", "user_id", "platform", "name", "base_url", "metadata", "created_at", "updated_at"],
  repository: [
    "id",
    "workspace_id",
    "code_provider_id",
    "name",
    "full_name",
    "clone_url",
    "default_branch",
    "platform",
    "external_id",
    "enabled",
    "webhooks_registered",
    "webhook_secret",
    "analysis_status",
    "analysis_error",
    "last_analyzed_at",
    "created_at",
    "updated_at",
  ],
  session: [
    "id",
    "title",
    "workspace_id",
    "user_id",
    "branch_name",
    "auto_commit",
    "status",
    "origin",
    "created_at",
    "updated_at",
    "sandbox_id",
    "model",
    "agent_status",
    "merged_at",
    "deep_work_id",
    "repository_id",
    "base_branch",
    "base_commit",
    "head_commit",
    "usage",
  ],
  event: [
    "id",
    "session_id",
    "type",
    "payload",
    "status",
    "client_id",
    "session_goal_id",
    "session_task_id",
    "created_at",
    "updated_at",
    "revision",
  ],
  apiKey: ["id", "name", "user_id", "user_name", "scopes", "expires_at", "revoked_at", "created_at"],
  cliInfo: ["service", "portal_url", "workspace", "user", "key", "capabilities"],
  schedule: [
    "id",
    "workspace_id",
    "user_id",
    "name",
    "prompt",
    "repository_id",
    "model",
    "every",
    "weekdays",
    "time_of_day",
    "timezone",
    "budget",
    "enabled",
    "next_run_at",
    "created_at",
    "updated_at",
  ],
  scheduleRun: ["id", "schedule_id", "session_id", "status", "trigger", "reason", "cost", "created_at", "finished_at"],
} as const satisfies Fields;

interface Fields {
  readonly provider: readonly (keyof Provider)[];
  readonly repository: readonly (keyof Repository)[];
  readonly session: readonly (keyof Session)[];
  readonly event: readonly (keyof SessionEvent)[];
  readonly apiKey: readonly (keyof ApiKey)[];
  readonly cliInfo: readonly (keyof CliInfo)[];
  readonly schedule: readonly (keyof Schedule)[];
  readonly scheduleRun: readonly (keyof ScheduleRun)[];
}
