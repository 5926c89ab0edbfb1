import { type ErrorKind, FerryError, NoAnswerError } from "../../../base/errors.ts";
import { typedId } from "../../../base/ids.ts";
import { count, cut, oneLine, textOf } from "../../../base/text.ts";
import type { Answer } from "../../../client/answers.ts";
import { isGateway } from "../../../client/http/retry.ts";
import { orTimeUp, timeUp } from "../../../client/timeline/time-up.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";
import { timelineOf } from "./timeline.ts";

export type KnownEvent = Answer<"readEvents">[number];

export interface SentMessage {
  /** By it the message's end is known, also where the service answered without the event. */
  readonly clientId: string;
  readonly event: KnownEvent | undefined;
}

/** Whatever the timeline may know it by: not every service keeps a client_id. */
export function namesOf({ clientId, event }: SentMessage): readonly string[] {
  const id: unknown = event?.id;
  return typeof id === "string" && id !== "" ? [clientId, id] : [clientId];
}

/** A session that was made just now may not be known everywhere yet: so often, and with so long between, in ms, it is tried again. */
const freshTries = 8;
const freshPause = 500;
/** What finding a message's place in the queue may take, in ms. */
const longestSearch = 2_000;

/**
 * Sends the first message to a session that was made just now: a 404 is not yet its answer.
 * @throws FerryError what went wrong, with the command that sends it where the service doesn't have it
 */
export async function sendFirstMessage(context: Context, open: OpenSession, message: string): Promise<SentMessage> {
  const { clock, interrupt } = context.host;
  for (let tries = 1; ; tries++) {
    try {
      return await sendMessage(context, open, message);
    } catch (error) {
      if (!(error instanceof FerryError) || isDoubt(error)) throw error;
      interrupt.throwIfAborted();
      if (error.status !== 404 || tries > freshTries) throw unsent(open, error);
      await clock.sleep(freshPause, interrupt);
    }
  }
}

/** The session is there and costs nothing yet: a second one need not be made. */
function unsent({ session }: OpenSession, error: FerryError): FerryError {
  const { kind, message, status, code } = error;
  const told = `${session.id} was made, but the prompt was not sent: ${message}`;
  const hint = `send it: ferry message send ${typedId(session.id)} 'the prompt'`;
  return new FerryError(kind, told, { status, code, hint, cause: error });
}

/**
 * Sends a message to the agent of a session. Where no answer comes, the timeline tells whether the service has it; it is sent
 * again only where it hasn't.
 */
export async function sendMessage(context: Context, open: OpenSession, message: string): Promise<SentMessage> {
  const { client } = open.connection;
  const clientId = `ferry-${Buffer.from(context.host.random(12)).toString("hex")}`;
  const params = { sessionId: open.session.id };
  const send = async (): Promise<SentMessage> => ({
    clientId,
    event: await client.sendMessage({ params, body: { message, client_id: clientId } }),
  });
  context.host.interrupt.throwIfAborted();
  try {
    return await send();
  } catch (error) {
    if (context.host.interrupt.aborted) return inDoubt(open)(error);
    if (!mayHaveArrived(error)) throw ended(error, open);
    const known = await find(context, open, (event) => event.client_id === clientId).catch(inDoubt(open));
    return known === undefined ? send().catch(inDoubt(open)) : { clientId, event: known };
  }
}

const inDoubtWords = "whether the message has arrived is not known";

function isDoubt({ message }: FerryError): boolean {
  return message.endsWith(inDoubtWords);
}

/** The state that forbids it says nothing of which session that is: it is the branch's, often, and nobody named it. */
function ended(error: unknown, { session }: OpenSession): unknown {
  if (!(error instanceof FerryError) || error.status !== 409 || !/^(?:closed|finished|merged)$/u.test(textOf(session.status)))
    return error;
  const { kind, status, code } = error;
  const title = oneLine(cut(textOf(session.title), 50));
  return new FerryError(
    kind,
    `the session ${typedId(session.id)}${title === "" ? "" : ` (${title})`} is ${textOf(session.status)}`,
    {
      status,
      code,
      hint: "start a new one: ferry run; or talk to another: --session SESSION",
      cause: error,
    },
  );
}

/** Whoever sends it by hand once more must know that it may be there already. */
function inDoubt({ session }: OpenSession): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof FerryError) || !doubtful.has(error.kind)) throw error;
    const { kind, message, status, code } = error;
    const doubt = `${message}; ${inDoubtWords}`;
    throw new FerryError(kind, doubt, {
      status,
      code,
      hint: `see with: ferry message list ${typedId(session.id)}`,
      cause: error,
    });
  };
}

/** No answer came, or nobody waited for it: Ctrl-C, a signal, the time that was given. */
const doubtful: ReadonlySet<ErrorKind> = new Set(["unavailable", "interrupted", "terminated", "pending"]);

/** Neither no answer nor a gateway's says whether the service behind has taken it. */
export function mayHaveArrived(error: unknown): boolean {
  return (error instanceof NoAnswerError && error.sent) || (error instanceof FerryError && isGateway(error.status));
}

/** Whether the agent took it at once, in words; where it waits, behind how many others, if that can be known. */
export async function fate(context: Context, open: OpenSession, { event }: SentMessage): Promise<string> {
  // An answer without the event (204) says that the service has it, not what became of it.
  if (event === undefined) return "sent";
  if (event.status !== "queued") return event.status === "completed" ? "the agent has it" : "the agent has taken it up";
  const before = await countQueuedBefore(context, open, event);
  return `queued${before === 0 ? "" : `, behind ${count(before, "other")}`}: the agent takes it when it is free`;
}

/**
 * The queue's order is that of the timeline. 0 also where the message has left it by now, and where it can't be said soon: the
 * message is there, whatever goes wrong with the question for its place.
 */
async function countQueuedBefore(context: Context, open: OpenSession, message: KnownEvent): Promise<number> {
  const { clock, interrupt } = context.host;
  const stop = new AbortController();
  try {
    const before = await orTimeUp(queuedBefore(context, open, message, stop.signal), longestSearch, clock);
    return before === timeUp ? 0 : before;
  } catch (error) {
    interrupt.throwIfAborted();
    if (error instanceof FerryError) return 0;
    throw error;
  } finally {
    stop.abort();
  }
}

async function queuedBefore(context: Context, open: OpenSession, { id }: KnownEvent, signal: AbortSignal): Promise<number> {
  let before = 0;
  const isOurs = (event: KnownEvent): boolean => {
    const isQueued = event.type === "user_message" && event.status === "queued";
    if (isQueued && event.id !== id) before++;
    return isQueued && event.id === id;
  };
  const ours = await find(context, open, isOurs, signal);
  return ours === undefined ? 0 : before;
}

async function find(
  context: Context,
  open: OpenSession,
  isIt: (event: KnownEvent) => boolean,
  signal?: AbortSignal,
): Promise<KnownEvent | undefined> {
  for await (const events of timelineOf(context, open, signal)) {
    const found = events.find(isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}
