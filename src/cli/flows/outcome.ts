import { FerryError, type ErrorKind } from "../../base/errors.ts";
import { isAgentResting, isOver, isResting, type Outcome } from "../../client/outcome.ts";
import type { InTheWay } from "../../client/timeline/ending.ts";
import type { Context } from "../context.ts";
import type { FollowView } from "./follow.ts";
import { sessionArgument } from "./host/argument.ts";
import { agentStatuses } from "../../wire/values.ts";
import type { KnownSession } from "./session/select.ts";

/** What was waited for, and what was in the way of it when the time was up. */
export interface Waited {
  readonly until: FollowView["until"];
  readonly inTheWay?: InTheWay | undefined;
}

/** What an outcome is for whoever waited: undefined where all is well, else the error that tells it. */
export function outcomeError(
  context: Pick<Context, "global">,
  outcome: Outcome,
  session: KnownSession,
  waited?: Waited,
): FerryError | undefined {
  const told = outcome === "timeout" ? outOfTime(session, waited) : tellings[outcome];
  return told === undefined
    ? undefined
    : new FerryError(told.kind, told.message, { code: outcome, hint: told.hint(sessionArgument(context, session.id)) });
}

/** For who was to see all of a timeline whose last part could not be read. */
export function unreadError(
  context: Pick<Context, "global">,
  unread: FerryError | undefined,
  { id }: KnownSession,
): FerryError | undefined {
  return unread === undefined
    ? undefined
    : new FerryError("unavailable", `the last of the timeline could not be read: ${unread.message}`, {
        code: unread.code,
        hint: `try it again with: ferry events ${sessionArgument(context, id)}`,
        cause: unread,
      });
}

/** For who waited until the time was up, of a session that the service says nothing of by then: what it said before may be long past. */
export function unansweredError(context: Pick<Context, "global">, { id }: KnownSession): FerryError {
  const message = "the time is up, and the service doesn't say how the session stands now";
  return new FerryError("pending", message, { code: "timeout", hint: viewIt(sessionArgument(context, id)) });
}

interface Telling {
  readonly kind: ErrorKind;
  readonly message: string;
  hint(id: string): string;
}

function viewIt(id: string): string {
  return `how it stands: ferry session view ${id}`;
}

function followIt(id: string): string {
  return `follow it with: ferry tail ${id}`;
}

function outOfTime(session: KnownSession, { until, inTheWay }: Partial<Waited> = {}): Telling | undefined {
  if (isOver(session)) return until === "merged" && session.status === "finished" ? overUnmerged : overUnread;
  if (session.agent_status === "waiting_for_user") return stillAsking;
  // Who watches a run of one's own knows no more of the session than its id.
  if (until !== undefined && !isAgentStatus(session.agent_status)) return outOfTimeInForeignWords(until, inTheWay);
  if (session.agent_status === "queued") return notBegun;
  if (!isAgentResting(session.agent_status)) return tellings.timeout;
  if (until === "merged") return notMerged;
  if (until === "end") return isResting(session) ? stillOpen : unclear;
  return until === undefined ? unknown : unsettled[inTheWay ?? "nothing"];
}

/** A service's own word for what the agent does tells us nothing; an event that is open does. */
function outOfTimeInForeignWords(until: FollowView["until"], inTheWay: InTheWay | undefined): Telling | undefined {
  if (inTheWay === "queued" || inTheWay === "processing") return tellings.timeout;
  if (until === "merged") return notMerged;
  return inTheWay === "unread" ? unread : unknown;
}

function isAgentStatus(word: KnownSession["agent_status"]): boolean {
  return agentStatuses.some((one) => one === word);
}

/** Who waits for the agent, and not for an end, is told what else than the session's own words was to be waited for. */
const unsettled: Readonly<Record<InTheWay | "nothing", Telling>> = {
  unread: {
    kind: "pending",
    message: "the agent has nothing to do by the session's word, but the timeline could not be read in that time",
    hint: (id) => `try it again with: ferry events ${id}`,
  },
  missing: {
    kind: "pending",
    message: "the agent has nothing to do, but the message is not in the timeline yet",
    hint: (id) => `see with: ferry message list ${id}`,
  },
  nameless: {
    kind: "pending",
    message: "the agent has nothing to do, but whether one of the timeline's messages is ours can't be told",
    hint: (id) => `see with: ferry message list ${id}`,
  },
  queued: {
    kind: "pending",
    message: "the agent has nothing to do, but something is queued for it",
    hint: (id) => `see with: ferry message list ${id}`,
  },
  processing: {
    kind: "pending",
    message: "the agent has nothing to do, but something is still processing",
    hint: (id) => `see with: ferry events ${id}`,
  },
  nothing: {
    kind: "pending",
    message: "the agent has nothing to do now, but has not rested for long enough to be sure of it",
    hint: (id) => `wait for longer: ferry session wait ${id}`,
  },
};

const notBegun: Telling = {
  kind: "pending",
  message: "the agent has not begun yet: its turn is queued",
  hint: followIt,
};

const unread: Telling = {
  kind: "pending",
  message: "the timeline could not be read in that time",
  hint: (id) => `try it again with: ferry events ${id}`,
};

const unknown: Telling = {
  kind: "pending",
  message: "the time is up, and what the agent does now is not known",
  hint: viewIt,
};

/** Only a merge can come after the end. */
const overUnmerged: Telling = {
  kind: "pending",
  message: "the session is over, and not merged yet",
  hint: viewIt,
};

/** The end of a session counts once all of its timeline was read. */
const overUnread: Telling = {
  kind: "pending",
  message: "the session is over, and its timeline could not be read in that time",
  hint: (id) => `try it again with: ferry events ${id}`,
};

/** To end it, as for one that has only to be over, is no way there: what is merged is its request, by somebody. */
const notMerged: Telling = { kind: "pending", message: "the session is not merged yet", hint: viewIt };

/** Who waits for an end, not for the agent, goes on waiting while it asks: somebody may answer. */
const stillAsking: Telling = {
  kind: "pending",
  message: "the agent waits for an answer",
  hint: (id) => `answer it: ferry say --session ${id} TEXT`,
};

/** A service's own word for the status says nothing that we know. */
const unclear: Telling = {
  kind: "pending",
  message: "the agent has nothing to do, and whether the session is over is not known",
  hint: viewIt,
};

/** Who waits for the session's end waits for a person, not for the agent. */
const stillOpen: Telling = {
  kind: "pending",
  message: "the session is still open, and its agent has nothing to do",
  hint: (id) => `end it with: ferry session close ${id} --finished`,
};

const tellings: Readonly<Record<Outcome, Telling | undefined>> = {
  idle: undefined,
  finished: undefined,
  merged: undefined,
  waiting_for_user: {
    kind: "attention",
    message: "the agent asks you something",
    hint: (id) => `ferry say --session ${id} TEXT`,
  },
  failed: { kind: "failure", message: "the agent failed", hint: (id) => `what happened: ferry events ${id}` },
  closed: { kind: "failure", message: "the session was closed", hint: (id) => `what happened: ferry events ${id}` },
  canceled: { kind: "failure", message: "the turn was canceled", hint: (id) => `go on with: ferry say --session ${id} TEXT` },
  timeout: { kind: "pending", message: "the agent is still working", hint: followIt },
};
