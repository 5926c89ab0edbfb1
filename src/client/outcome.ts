import { agentStatuses, sessionStatuses } from "../wire/values.ts";
import type { SessionState, TimelineEvent } from "./timeline/items.ts";

/** How a session stands for someone who waits for it. */
export type Outcome = "idle" | "finished" | "merged" | "waiting_for_user" | "failed" | "closed" | "canceled" | "timeout";

export interface Situation {
  readonly session: SessionState;
  /** In the order of the timeline; those that `isTelling` drops may be missing. */
  readonly events: readonly TimelineEvent[];
  /** What the message that we wait for is known by, its id or client_id, or either; without it, the newest counts. */
  readonly message?: string | readonly string[] | undefined;
  /** For how long nothing has changed, in ms. */
  readonly quiet: number;
}

export type Verdict =
  | { readonly state: "going" }
  /** Done by all that is known, but the service's words are foreign, or at odds: so if nothing changes for `wait` ms more. */
  | { readonly state: "settling"; readonly wait: number }
  | { readonly state: "needs you" | "done" | "ended"; readonly outcome: Outcome; readonly note?: string };

/** How long a session with words that we don't know must rest until it counts as done, in ms. */
export const settleTime = 60_000;

/** How long a session may go on saying that it waits for an answer that is there already, in ms: services write the two one after the other. */
const answerTime = 5_000;

/** The rules under the state table of the wire: needs you, done, ended. */
export function judge({ session, events, message, quiet }: Situation): Verdict {
  const end = endOf(session, events);
  if (end !== undefined) return { state: "ended", outcome: end };
  if (asks(session, events)) {
    const wait = isAnswered(events) ? answerTime - quiet : 0;
    return wait > 0 ? { state: "settling", wait } : { state: "needs you", outcome: "waiting_for_user" };
  }
  if (isGoing(session, events)) return { state: "going" };
  const awaited = ours(events, message);
  const outcome = resting(session, awaited);
  const isLeft = events.some(isOpen);
  const isClear = !isLeft && isOurWord(session) && (awaited === undefined || isClosed(awaited));
  // Who neither answers with the message nor keeps its client_id may have it under any name, or have yet to show it.
  if (isClear && (message === undefined || isNamed(awaited, message))) return { state: "done", outcome };
  if (quiet < settleTime) return { state: "settling", wait: settleTime - quiet };
  const note = `nothing has changed for ${settleTime / 1000} s`;
  return { state: "done", outcome, note: isLeft ? `the agent rests, and something is still processing; ${note}` : note };
}

/** Whether an event can matter to the verdict: the talk, the ends, and what is still under way. */
export function isTelling(event: TimelineEvent): boolean {
  return isOpen(event) || talk.has(event.type ?? "") || ends[event.type ?? ""] !== undefined;
}

/** Whether it waits or is being worked on. */
export function isOpen({ status }: TimelineEvent): boolean {
  return status === "queued" || status === "processing";
}

/** Whether the agent does nothing until it is told something, by the words of a session that isn't over. */
export function isResting({ status, agent_status }: SessionState): boolean {
  return status === "active" && isAgentResting(agent_status);
}

/** The same, whatever the status is: another service may have words of its own for that. */
export function isAgentResting(agentStatus: SessionState["agent_status"]): boolean {
  return rests.has(agentStatus ?? "");
}

/** Whether it has ended, by the same words. */
export function isOver({ status }: SessionState): boolean {
  return status !== "active" && sessionStatuses.some((word) => word === status);
}

/** Whether it works, or is about to, by the same words. */
export function isAtWork({ status, agent_status }: SessionState): boolean {
  return status === "active" && (agent_status === "working" || agent_status === "queued");
}

const talk: ReadonlySet<string> = new Set(["user_message", "agent_ask_user", "user_ask_user_response"]);
const rests: ReadonlySet<string> = new Set(["idle", "stopped", "failed"]);
const ends: Readonly<Record<string, Outcome>> = {
  session_finished: "finished",
  session_closed: "closed",
  merge_request_merged: "merged",
};

function isOurWord({ agent_status }: SessionState): boolean {
  return (agentStatuses as readonly (string | null | undefined)[]).includes(agent_status);
}

function asks(session: SessionState, events: readonly TimelineEvent[]): boolean {
  if (isOurWord(session)) return session.agent_status === "waiting_for_user";
  return events.findLast(({ type }) => talk.has(type ?? ""))?.type === "agent_ask_user";
}

function isAnswered(events: readonly TimelineEvent[]): boolean {
  const last = events.findLast(({ type }) => talk.has(type ?? ""));
  return last?.type !== "agent_ask_user" && events.some(({ type }) => type === "agent_ask_user");
}

function endOf({ status, agent_status }: SessionState, events: readonly TimelineEvent[]): Outcome | undefined {
  const known = sessionStatuses.find((word) => word === status);
  if (known === "active") return undefined;
  if (known !== undefined) return agent_status === "failed" ? "failed" : known;
  // A message that is taken up after the end goes on with the session.
  return ends[events.findLast(({ type }) => talk.has(type ?? "") || ends[type ?? ""] !== undefined)?.type ?? ""];
}

/**
 * Whether there is more to come. What is processing while the agent rests, by words of ours, contradicts that: there are services
 * that never close an event, so in the end the agent's word counts. What is queued has yet to be taken up.
 */
function isGoing(session: SessionState, events: readonly TimelineEvent[]): boolean {
  if (isOurWord(session)) return !rests.has(session.agent_status ?? "") || events.some(({ status }) => status === "queued");
  return events.some(isOpen);
}

function isClosed({ status }: TimelineEvent): boolean {
  return status === "completed" || status === "canceled";
}

/** By its name; where none has that, the newest is the nearest guess. */
function ours(events: readonly TimelineEvent[], message: Situation["message"]): TimelineEvent | undefined {
  const messages = events.filter(({ type }) => type === "user_message");
  return messages.find((event) => message !== undefined && isNamed(event, message)) ?? messages.at(-1);
}

/** Whether it is the message that goes by one of these names. */
export function isNamed(event: TimelineEvent | undefined, message: string | readonly string[]): boolean {
  const names = typeof message === "string" ? [message] : message;
  return event !== undefined && (names.includes(event.id) || names.includes(event.client_id ?? ""));
}

/** Whether it is such a client_id as ferry makes: a service may put its own in its place, or change its case. */
export function isFerrys(clientId: unknown): boolean {
  return typeof clientId === "string" && /^ferry-[0-9a-f]{24}$/u.test(clientId);
}

function resting(session: SessionState, awaited: TimelineEvent | undefined): Outcome {
  if (session.agent_status === "failed") return "failed";
  return awaited?.status === "canceled" ? "canceled" : "idle";
}
