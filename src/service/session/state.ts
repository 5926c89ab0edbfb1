import type { AgentStatus, EventStatus, SessionStatus } from "../../wire/values.ts";
import { Problem } from "../problem.ts";

/** What decides how a session goes on. */
export interface SessionState {
  readonly status: SessionStatus;
  readonly agent_status: AgentStatus;
  /** Whether a user_message is `processing`; there is never more than one. */
  readonly processing: boolean;
  /** How many user_messages are `queued`. */
  readonly queued: number;
}

export type Trigger =
  | { readonly type: "message" }
  /** `hold`: what is queued stays there, since the service is about to end. */
  | { readonly type: "turn ended"; readonly hold: boolean }
  | { readonly type: "turn failed"; readonly hold: boolean }
  /** The agent wants to know something of the user. */
  | { readonly type: "asked" }
  /** The service ended or died in the middle of the turn. */
  | { readonly type: "interrupted" }
  /** The service is there (again). */
  | { readonly type: "started" }
  /** No sandbox can be had: the session is over. */
  | { readonly type: "no sandbox" }
  | { readonly type: "cancel"; readonly queued: boolean }
  /** What a cancel stopped is gone. */
  | { readonly type: "stopped" }
  | { readonly type: "close"; readonly outcome: "finished" | "closed" };

/** What follows from a trigger: the session's two fields, and what happens to its messages. */
export interface Transition {
  readonly status: SessionStatus;
  readonly agent_status: AgentStatus;
  /** What the message that brought the trigger begins as. */
  readonly message?: Exclude<EventStatus, "canceled">;
  /** What the running message becomes. */
  readonly running?: Extract<EventStatus, "completed" | "canceled">;
  /** Whether the first queued message becomes the running one. */
  readonly next?: boolean;
  /** Whether all queued messages are canceled. */
  readonly cancelQueue?: boolean;
}

/**
 * The state table (design of the wire): what a trigger does in a state.
 * @throws Problem 409 `session_over` where the session takes nothing more
 */
export function transition(state: SessionState, trigger: Trigger): Transition {
  if (state.status !== "active") throw new Problem(409, "session_over", `the session is ${state.status}: it takes nothing more`);
  const { agent_status, processing, queued } = state;
  switch (trigger.type) {
    case "message":
      // The agent asks: the message is the answer.
      if (agent_status === "waiting_for_user") return { status: "active", agent_status: "working", message: "completed" };
      // `stopped` is short: what was canceled is not dead yet, and the queue goes on when it is.
      if (processing || queued > 0 || agent_status === "stopped") return { status: "active", agent_status, message: "queued" };
      return { status: "active", agent_status: "working", message: "processing" };
    case "turn ended":
      return { ...goOn(trigger.hold ? 0 : queued, "idle"), ...(processing && { running: "completed" }) };
    case "turn failed":
      return { ...goOn(trigger.hold ? 0 : queued, "failed"), ...(processing && { running: "completed" }) };
    case "asked":
      return { status: "active", agent_status: processing && agent_status === "working" ? "waiting_for_user" : agent_status };
    case "interrupted":
      return {
        status: "active",
        agent_status: processing ? "failed" : agent_status,
        ...(processing && { running: "completed" }),
      };
    case "started":
      return goOn(queued, agent_status === "failed" ? "failed" : "idle");
    case "no sandbox":
      return { status: "failed", agent_status: "failed", ...(processing && { running: "completed" }), cancelQueue: true };
    case "cancel":
      if (!processing) return { status: "active", agent_status, cancelQueue: trigger.queued };
      return { status: "active", agent_status: "stopped", running: "canceled", cancelQueue: trigger.queued };
    case "stopped":
      return goOn(queued, "idle");
    case "close":
      return { status: trigger.outcome, agent_status: "stopped", ...(processing && { running: "canceled" }), cancelQueue: true };
  }
}

/** Whether the agent needs nothing and does nothing. */
export function rests(agentStatus: AgentStatus): boolean {
  return agentStatus === "idle" || agentStatus === "stopped" || agentStatus === "failed";
}

function goOn(queued: number, otherwise: AgentStatus): Transition {
  return queued > 0 ? { status: "active", agent_status: "working", next: true } : { status: "active", agent_status: otherwise };
}
