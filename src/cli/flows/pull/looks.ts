import type { FollowItem } from "../../../client/follow.ts";
import type { SessionState, TimelineEvent } from "../../../client/timeline/items.ts";

/** Pulls what is there. Gives the session as it was read before that; undefined where it has to be tried again. */
export type Look = () => Promise<SessionState | undefined>;

/** When commits may be there, by what is seen of a session that is followed. */
export interface Looks {
  /** To be told of all that is seen, in order. */
  isDue(item: FollowItem): boolean;
  look(): Promise<void>;
}

/**
 * A service with our extension says so, by `patch` or by the session's `head_commit`, which also tells what came while the line was
 * down. Of any other, all that its agent may have committed or pushed by counts; it is looked when the session is read next, so once
 * for many events. `last` is the session as it was at a look before.
 */
export function makeLooks(look: Look, last: SessionState | undefined): Looks {
  let isDue = last === undefined;
  let isTold = false;
  let head = last?.head_commit;
  let stands = standing(last);
  const see = (session: SessionState): void => {
    const { head_commit: now } = session;
    if (typeof now === "string") isTold = true;
    if (typeof now === "string" ? now !== head : !isTold && standing(session) !== stands) isDue = true;
  };
  return {
    isDue(item) {
      if (item.kind === "patch") [isTold, isDue] = [true, true];
      if (item.kind === "session") see(item.session);
      if (item.kind === "events" && item.items.some(({ event }) => (isTold ? isPush(event) : mayCommit(event)))) isDue = true;
      return isDue && (item.kind === "patch" || item.kind === "session");
    },
    async look() {
      const session = await look();
      if (session === undefined) return;
      isDue = false;
      head = session.head_commit;
      stands = standing(session);
    },
  };
}

function standing(session: SessionState | undefined): string {
  return JSON.stringify([session?.status, session?.agent_status]);
}

/** The commits may be taken from a branch also where the service tells of them. */
function isPush({ type }: TimelineEvent): boolean {
  return type === "agent_push_to_remote";
}

/** What only reads or talks can't; of a type that we don't know it may be. */
function mayCommit({ type, status }: TimelineEvent): boolean {
  return status !== "queued" && status !== "processing" && !harmlessTypes.has(type ?? "");
}

const harmlessTypes: ReadonlySet<string> = new Set([
  "agent_message",
  "system_message",
  "agent_file_tree_browse",
  "agent_file_read",
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
  "agent_http_request",
  "agent_web_browse",
  "agent_alert_created",
]);
