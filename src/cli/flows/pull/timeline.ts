import { textOf } from "../../../base/text.ts";
import { isAtWork, settleTime } from "../../../client/outcome.ts";
import type { EventSource } from "../../../patch/source.ts";
import { agentStatuses, sessionStatuses } from "../../../wire/values.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "../session/select.ts";

/** The session's timeline as a source of commits. In a hook, and without a person who reads what is said, only where it is asked for. */
export function timelineOf(context: Context, { connection, session }: OpenSession, hook: string | undefined): EventSource {
  const model = session.model ?? "";
  const { host } = context;
  return {
    agent: model === "" ? "agent" : model,
    base: session.base_commit ?? undefined,
    repositoryId: session.repository_id || undefined,
    isAutomatic: context.interactive && hook === undefined,
    async read() {
      const all = await connection.client.readEvents({ params: { sessionId: session.id } });
      const changed = [session, ...all].map(({ updated_at }) => Date.parse(textOf(updated_at))).filter((at) => !Number.isNaN(at));
      const rested = host.clock.now() - Math.max(-Infinity, ...changed);
      return {
        isAtWork: isAtWork(session) || (!isOurs(session) && rested < settleTime),
        events: all
          .toSorted((one, other) => textOf(one.created_at).localeCompare(textOf(other.created_at)))
          .map(({ id, type, status, payload, created_at }) => ({
            id,
            type: type ?? "",
            status: status ?? "",
            payload: payload ?? {},
            createdAt: created_at ?? "",
          })),
      };
    },
  };
}

/** Of a session whose words aren't ours nobody can say whether its agent rests, unless nothing happens any more. */
function isOurs({ status, agent_status }: OpenSession["session"]): boolean {
  const ours = (words: readonly string[], word: string | null | undefined) => words.includes(word ?? "");
  return ours(sessionStatuses, status) && (ours(agentStatuses, agent_status) || status !== "active");
}
