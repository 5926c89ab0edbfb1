import type { Payloads, SessionEvent } from "../../wire/event.ts";
import type { Session } from "../../wire/resources.ts";
import { Problem } from "../problem.ts";
import type { Store } from "../store/store.ts";
import { type SessionState, type Transition, transition, type Trigger } from "./state.ts";
import type { Timeline } from "./timeline/timeline.ts";
import type { TimelineWriter } from "./timeline/writer.ts";

export type UserMessage = SessionEvent & { readonly type: "user_message" };

/** Where a session is written down. */
export interface Books {
  readonly store: Store;
  readonly timeline: Timeline;
}

/** A session as a trigger finds it. */
interface Situation {
  readonly session: Session;
  readonly running: UserMessage | undefined;
  readonly queue: readonly UserMessage[];
}

export interface Settled {
  readonly session: Session;
  /** The message that is to be worked on now, where the trigger gave one its turn. */
  readonly next: UserMessage | undefined;
}

/** The session. @throws Problem 404 */
export async function findSession(store: Pick<Store, "sessions">, id: string): Promise<Session> {
  const session = await store.sessions.find(id);
  if (session === undefined) throw new Problem(404, "session_not_found", `there is no session ${id}`);
  return session;
}

export type Asked = SessionEvent & { readonly type: "agent_ask_user" };

/**
 * Lets a trigger happen to a session: what the state table says, written as one. `reason` is told in the timeline.
 * @throws Problem 404 for no such session, 409 where the state forbids it
 */
export async function settle({ store, timeline }: Books, sessionId: string, trigger: Trigger, reason = ""): Promise<Settled> {
  const situation = await look(store, sessionId);
  const change = transition(stateOf(situation), trigger);
  return timeline.together(sessionId, async (inner) => {
    if (change.running !== undefined && situation.running !== undefined)
      await inner.update(sessionId, situation.running.id, { status: change.running });
    if (reason !== "") await inner.say(sessionId, reason);
    if (change.cancelQueue === true)
      for (const { id } of situation.queue) await inner.update(sessionId, id, { status: "canceled" });
    const next = change.next === true ? situation.queue[0] : undefined;
    if (next !== undefined) await inner.update(sessionId, next.id, { status: "processing" });
    return { session: await writeFields(inner, situation.session, change), next };
  });
}

export async function look(store: Store, sessionId: string): Promise<Situation> {
  const session = await findSession(store, sessionId);
  const running = await store.timeline.withStatus(sessionId, "processing", "user_message");
  const queue = await store.timeline.withStatus(sessionId, "queued", "user_message");
  return { session, running: running.find(isUserMessage), queue: queue.filter(isUserMessage) };
}

export function stateOf({ session, running, queue }: Situation): SessionState {
  return { status: session.status, agent_status: session.agent_status, processing: running !== undefined, queued: queue.length };
}

/** Writes the two fields where they change. */
export async function writeFields(
  timeline: TimelineWriter,
  session: Session,
  { status, agent_status }: Transition,
): Promise<Session> {
  if (status === session.status && agent_status === session.agent_status) return session;
  return timeline.change(session.id, { status, agent_status });
}

/** Asks the user on the agent's behalf; undefined where it is at work no more. */
export async function askUser(
  { store, timeline }: Books,
  sessionId: string,
  payload: Payloads["agent_ask_user"],
): Promise<SessionEvent | undefined> {
  const situation = await look(store, sessionId);
  const change = transition(stateOf(situation), { type: "asked" });
  if (change.agent_status !== "waiting_for_user") return undefined;
  return timeline.together(sessionId, async (inner) => {
    await writeFields(inner, situation.session, change);
    return inner.append(sessionId, payload, "processing");
  });
}

/** A question that nobody waits for the answer of any more; one that has its answer stays as it is. */
export async function withdraw({ store, timeline }: Books, sessionId: string, questionId: string): Promise<void> {
  const open = await openQuestion(store, sessionId);
  if (open?.id === questionId) await timeline.update(sessionId, questionId, { status: "canceled" });
}

/** The question that waits for its answer. */
export async function openQuestion(store: Store, sessionId: string): Promise<Asked | undefined> {
  const open = await store.timeline.withStatus(sessionId, "processing", "agent_ask_user");
  return open.find((event): event is Asked => event.type === "agent_ask_user");
}

export function isUserMessage(event: SessionEvent): event is UserMessage {
  return event.type === "user_message";
}
