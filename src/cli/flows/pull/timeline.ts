import { textOf } from "../../../base/text.ts";
import { parseTime } from "../../../base/time.ts";
import { isAtWork, settleTime } from "../../../client/outcome.ts";
import type { EventSource, TimelineEvent } from "../../../patch/source.ts";
import { agentStatuses, sessionStatuses } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "../session/select.ts";
import { timelineOf as readWhole } from "../session/timeline.ts";

/** The session's timeline as a source of commits. In a hook, and without a person who reads what is said, only where it is asked for. */
export function timelineOf(context: Context, open: OpenSession, hook: string | undefined): EventSource {
  const { session } = open;
  const model = session.model ?? "";
  const { host } = context;
  return {
    agent: model === "" ? "agent" : model,
    base: session.base_commit ?? undefined,
    repositoryId: session.repository_id || undefined,
    isAutomatic: context.interactive && hook === undefined,
    async read() {
      const events: TimelineEvent[] = [];
      let changed = timeOf(session);
      for await (const batch of readWhole(context, open))
        for (const event of batch) {
          const { id, type, status, payload, created_at } = event;
          changed = Math.max(changed, timeOf(event));
          // The timeline may be far longer than what of it makes commits: only that is held.
          const isTold = type === "user_message" || textOf(type).startsWith("agent_file_");
          const told = isTold ? (payload ?? {}) : {};
          events.push({ id, type: type ?? "", status: status ?? "", payload: told, createdAt: textOf(created_at) });
        }
      const rested = host.clock.now() - changed;
      return {
        isAtWork: isAtWork(session) || (!isOurs(session) && rested < settleTime),
        events: events.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)),
      };
    },
  };
}

/** When it changed last, in epoch ms. */
function timeOf({ updated_at }: { readonly updated_at?: unknown }): number {
  const at = parseTime(textOf(updated_at));
  return Number.isNaN(at) ? -Infinity : at;
}

/** Of a session whose words aren't ours nobody can say whether its agent rests, unless nothing happens any more. */
function isOurs({ status, agent_status }: OpenSession["session"]): boolean {
  const ours = (words: readonly string[], word: string | null | undefined) => words.includes(word ?? "");
  return ours(sessionStatuses, status) && (ours(agentStatuses, agent_status) || status !== "active");
}
