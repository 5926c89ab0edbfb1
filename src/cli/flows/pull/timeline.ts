import { textOf } from "../../../base/text.ts";
import { parseTime } from "../../../base/time.ts";
import { isAtWork, isTelling, judge, settleTime, type Situation } from "../../../client/outcome.ts";
import type { EventSource, TimelineEvent } from "../../../patch/source.ts";
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
      const inOrder = events.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
      const quiet = host.clock.now() - changed;
      return { events: inOrder, underWay: underWay({ session, events: inOrder.filter(isTelling), quiet }) };
    },
  };
}

/** When it changed last, in epoch ms. */
function timeOf({ updated_at, created_at }: { readonly updated_at?: unknown; readonly created_at?: unknown }): number {
  const at = parseTime(textOf(updated_at) || textOf(created_at));
  return Number.isNaN(at) ? -Infinity : at;
}

/** Why the last turn may not be over: by the same rules as for whoever waits for its end. A question is answered within its turn. */
function underWay(situation: Situation): string | undefined {
  const { state } = judge(situation);
  if (state === "needs you") return "the agent waits for an answer";
  if (state === "settling") return `it counts as over when nothing has changed for ${settleTime / 1000} s`;
  if (state !== "going") return undefined;
  const isQueued = !isAtWork(situation.session) && situation.events.some(({ status }) => status === "queued");
  return isQueued ? "a message is still queued" : "the agent is still working";
}
