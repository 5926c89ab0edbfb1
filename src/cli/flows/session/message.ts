import { type ErrorKind, FerryError, NoAnswerError } from "../../../base/errors.ts";
import { count, textOf } from "../../../base/text.ts";
import { isUnreadable } from "../../../client/http/json.ts";
import { isGateway } from "../../../client/http/retry.ts";
import { orTimeUp, timeUp } from "../../../client/timeline/time-up.ts";
import { fields } from "../../../wire/fields.ts";
import type { Context } from "../../context.ts";
import { sessionArgument } from "../host/argument.ts";
import { whileWaiting } from "../waiting.ts";
import { findArrived, findEvent, type KnownEvent, type Outgoing, usualSearch } from "./arrival.ts";
import type { OpenSession } from "./select.ts";
import { calledSession } from "./whom.ts";

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
/** How long a message that was redirected is looked for, in ms, which makes two looks: whoever sent it elsewhere does nothing more with it. */
const shortSearch = 500;
/** What finding a message's place in the queue may take, in ms. */
const longestSearch = 2_000;

/**
 * Sends the first message to a session that was made just now: a 404 is not yet its answer.
 * @throws FerryError what went wrong, with the command that sends it where the service doesn't have it
 */
export async function sendFirstMessage(context: Context, open: OpenSession, message: string): Promise<SentMessage> {
  const { clock, interrupt } = context.host;
  // However often it goes out, it is one message: by its id the service knows that, and so does the search.
  const outgoing = { clientId: newClientId(context), message, fresh: true, began: clock.now() };
  for (let tries = 1; ; tries++) {
    try {
      return await deliver(context, open, outgoing);
    } catch (error) {
      if (!(error instanceof FerryError) || isDoubt(error)) throw error;
      if (error.status !== 404 || tries > freshTries) throw await unsent(context, open, error);
      await clock.sleep(freshPause, interrupt).catch(async (reason: unknown) => {
        throw reason instanceof FerryError ? await unsent(context, open, reason) : reason;
      });
    }
  }
}

/** What is wrong with the prompt itself is so the next time, too. */
const ofThePrompt: readonly (number | undefined)[] = [400, 413, 422];

/** The session is there and costs nothing yet: a second one need not be made. */
export async function unsent(context: Context, { session, connection }: OpenSession, error: FerryError): Promise<FerryError> {
  const { kind, message, status, code } = error;
  const told = `${session.id} was made, but the prompt was not sent: ${message}`;
  const there = sessionArgument(context, session.id);
  const details = { status, code, cause: error };
  if (!ofThePrompt.includes(status))
    return new FerryError(kind, told, { ...details, hint: `send it: ferry message send ${there} 'the prompt'` });
  const other = status === 413 ? "a shorter one" : "another one";
  const canEnd = await connection.client.capabilities().then(
    (all) => all.has("close"),
    () => false,
  );
  const end = canEnd ? `; or end the session: ferry session close ${there}` : "";
  return new FerryError(kind, told, { ...details, hint: `send ${other}: ferry message send ${there} -F FILE${end}` });
}

/**
 * Sends a message to the agent of a session. Where it may have arrived though no good answer came, the timeline tells whether the service
 * has it; it is sent again only where it hasn't, and only where the service neither answered itself nor may still be at it.
 * @throws FerryError what went wrong; where the message may have arrived all the same, it says so
 */
export async function sendMessage(context: Context, open: OpenSession, message: string): Promise<SentMessage> {
  const { unlocked } = open.connection;
  if (unlocked !== undefined) await context.print.note(unlocked);
  return deliver(context, open, { clientId: newClientId(context), message, fresh: false, began: context.host.clock.now() });
}

function newClientId({ host }: Context): string {
  return `ferry-${Buffer.from(host.random(12)).toString("hex")}`;
}

async function deliver(context: Context, open: OpenSession, outgoing: Outgoing): Promise<SentMessage> {
  const { clientId, message } = outgoing;
  const { client } = open.connection;
  const { interrupt } = context.host;
  const params = { sessionId: open.session.id };
  const send = async (): Promise<SentMessage> => ({
    clientId,
    event: await client.sendMessage({ params, body: { message, client_id: clientId } }),
  });
  let lost: FerryError;
  interrupt.throwIfAborted();
  try {
    return await send();
  } catch (error) {
    if (interrupt.aborted && error instanceof FerryError && unanswered.has(error.kind)) throw inDoubt(context, open, error);
    if (interrupt.aborted) throw error;
    if (!mayHaveArrived(error)) throw ended(error, open);
    lost = error;
  }
  await tellSearch(context, lost);
  // From here on it may be there, whatever else goes wrong: the search, or sending it again.
  try {
    const search = isSentOn(lost) ? shortSearch : usualSearch;
    const event = await whileWaiting(context, open.connection.name, () => findArrived(context, open, outgoing, search));
    if (event !== undefined) return { clientId, event };
    if (isLost(lost) && !isStillAtIt(lost)) {
      await context.print.note("the message isn't there: sending it again");
      return await send();
    }
  } catch (error) {
    throw error instanceof FerryError ? inDoubt(context, open, error) : error;
  }
  // Where the service itself says that it failed, and has nothing, it failed. That it was done (2xx), and nothing, is a riddle.
  throw isTaken(lost) || isStillAtIt(lost) ? inDoubt(context, open, lost) : lost;
}

/** The search takes some seconds, for which a person would see nothing. */
async function tellSearch({ host, global, print }: Context, { message }: FerryError): Promise<void> {
  if (host.terminal.stderr.isTTY || global.verbose) await print.note(`${message}; looking whether the message has arrived`);
}

const inDoubtWords = "whether the message has arrived is not known";

function isDoubt({ message }: FerryError): boolean {
  return message.endsWith(inDoubtWords);
}

/** The state that forbids it says nothing of which session that is: it is the branch's, often, and nobody named it. */
function ended(error: unknown, open: OpenSession): unknown {
  const now = textOf(open.session.status);
  if (!(error instanceof FerryError) || error.status !== 409 || !/^(?:closed|finished|merged)$/u.test(now)) return error;
  const { kind, status, code } = error;
  const hint = "start a new one: ferry run; or talk to another: ferry say --session SESSION TEXT";
  return new FerryError(kind, `the session ${calledSession(open)} is ${now}`, { status, code, hint, cause: error });
}

/** Whoever sends it by hand once more must know that it may be there already. */
function inDoubt(context: Context, { session }: OpenSession, error: FerryError): FerryError {
  const { kind, message, status, code } = error;
  const look = `see with: ferry message list ${sessionArgument(context, session.id)}`;
  // What the redirect itself advises, without the doubt that the client adds.
  const advice = isSentOn(error) && error.cause instanceof FerryError ? error.cause.hint : undefined;
  const hint = advice === undefined ? look : `${advice}; but first ${look}`;
  return new FerryError(kind, `${message}; ${inDoubtWords}`, { status, code, hint, cause: error });
}

/** No answer came, or nobody waited for it: Ctrl-C, a signal, the time that was given. */
const unanswered: ReadonlySet<ErrorKind> = new Set(["unavailable", "interrupted", "terminated", "pending"]);

/** Neither no answer nor a gateway's says whether the service behind has taken it: sent once more, it may be taken. */
function isLost(error: FerryError): boolean {
  return isUnsure(error) && !isTaken(error);
}

/** The service answered that it was done, or sent us elsewhere, and only what came with that is amiss. */
function isTaken(error: FerryError): boolean {
  return error.doubt !== undefined || isUnreadable(error);
}

/** It redirected the message in a way that isn't followed (RFC 9110, 15.4); a 303 has done with it before. */
function isSentOn({ status }: FerryError): boolean {
  return status !== undefined && [301, 302, 307, 308].includes(status);
}

/** A gateway that timed out (RFC 9110, 15.6.5) has passed it on: the service behind may yet be about to store it. */
function isStillAtIt({ status }: FerryError): boolean {
  return status === 504;
}

function isUnsure(error: FerryError): boolean {
  return (error instanceof NoAnswerError && error.sent) || isGateway(error.status);
}

/** What the service doesn't have at all (501, 505) it hasn't begun with; it may have stored what it then failed with. */
const notBegun: readonly number[] = [501, 505];

/**
 * Whether a write may have been done all the same: where no answer came, or none that can be read, where it sends us elsewhere, where a
 * gateway answered or gave up on waiting (408), and where the service failed (5xx), which it may have done after it.
 */
export function mayHaveArrived(error: unknown): error is FerryError {
  if (!(error instanceof FerryError)) return false;
  const { status = 0 } = error;
  return isUnsure(error) || isTaken(error) || status === 408 || (status >= 500 && !notBegun.includes(status));
}

/**
 * The message as the service has it, in JSON.
 * @throws FerryError where it can't be printed: who is told that alone sends it again
 */
export async function printSent({ print }: Context, { event }: SentMessage): Promise<void> {
  try {
    await print.json(event ?? {}, fields.event);
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    throw new FerryError(error.kind, `the message is sent, but ${error.message}`, { hint: error.hint, cause: error });
  }
}

/** Whether the agent took it at once, in words; where it waits, behind how many others, if that can be known. */
export async function fate(context: Context, open: OpenSession, { event }: SentMessage): Promise<string> {
  // An answer without the event (204, `{}`), or with a word of the service's own, says that it has it, not what became of it.
  if (event?.status === "processing") return "the agent has taken it up";
  if (event?.status === "completed") return "the agent has it";
  if (event?.status !== "queued") return "sent";
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
  const ours = await findEvent(context, open, isOurs, signal);
  return ours === undefined ? 0 : before;
}
