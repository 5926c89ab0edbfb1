import { cut, oneLine } from "../../../base/text.ts";
import type { SessionEvent } from "../../../wire/event.ts";

/** What an event says was done, as one line; none for what only looked at something. */
export function deedOf({ payload, status }: SessionEvent): string[] {
  const line = describe(payload);
  if (line === undefined) return [];
  return [`${cut(oneLine(line), 300)}${status === "canceled" ? " (cut short)" : ""}`];
}

/** The file that an event says was changed. */
export function fileOf({ payload }: SessionEvent): string[] {
  switch (payload.type) {
    case "agent_file_create":
    case "agent_file_edit":
    case "agent_file_remove":
      return [oneLine(payload.file_path)];
    case "agent_file_move":
    case "agent_file_copy":
      return [oneLine(payload.destination_path)];
    default:
      return [];
  }
}

function describe(payload: SessionEvent["payload"]): string | undefined {
  switch (payload.type) {
    case "agent_file_create":
      return `created ${payload.file_path}`;
    case "agent_file_edit":
      return `edited ${payload.file_path}`;
    case "agent_file_remove":
      return `removed ${payload.file_path}`;
    case "agent_file_move":
      return `moved ${payload.source_path} to ${payload.destination_path}`;
    case "agent_file_copy":
      return `copied ${payload.source_path} to ${payload.destination_path}`;
    case "agent_run_repository_command":
      return `ran ${cut(payload.command ?? "", 200)} (${payload.signal ?? `exit status ${payload.exit_code ?? "unknown"}`})`;
    case "agent_merge_remote_branch":
      return `merged ${payload.branch ?? ""}${(payload.paths ?? []).length > 0 ? ", with conflicts" : ""}`;
    case "agent_pull_from_remote":
      return `pulled ${payload.branch ?? ""}`;
    case "agent_push_to_remote":
      return `pushed ${payload.branch ?? ""}`;
    case "agent_abort_conflict_resolution":
      return "gave up the merge";
    case "agent_rollback_uncommitted_changes":
      return "took back what was not committed";
    case "agent_plan_execution_update":
      return `planned: ${(payload.entries ?? []).map(({ content, status }) => `${content} [${status}]`).join("; ")}`;
    default:
      return undefined;
  }
}
