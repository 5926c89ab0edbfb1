import type { Clock } from "../../host/host.ts";
import type { Client } from "../calls.ts";
import { isFerrys, isNamed, isOpen, isTelling, judge, settleTime, type Outcome, type Verdict } from "../outcome.ts";
import { madeAt, type SessionState, type TimelineEvent, type Update } from "./items.ts";
import { passes } from "./source.ts";
import { orTimeUp, timeUp } from "./time-up.ts";

/**
 * When to stop: when the agent needs nothing more or needs you, when the session is over, when it is merged (or can't be any
 * more), or never.
 */
export type Until = "idle" | "end" | "merged" | "never";

export interface EndingOptions {
  readonly client: Client;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly until: Until;
  /** What the message whose end `idle` means is known by, its id or client_id, or either; without it, the newest. */
  readonly message?: string | readonly string[] | undefined;
  /** The outcome is `timeout` after this long, in ms. */
  readonly timeout?: number | undefined;
}

/** What still comes after the end of a session is waited for this long, in ms. */
const drainTime = 2_000;

/**
 * What was in the way of an end when the time was up, besides what the session says: its timeline wasn't there, our message isn't in that,
 * something in it waits or is under way, or which message is ours can't be told.
 */
export type InTheWay = "unread" | "missing" | "queued" | "processing" | "nameless";

type End = { readonly outcome: Outcome; readonly note?: string; readonly inTheWay?: InTheWay };

/** An event as far as the verdict depends on it, with when it was made. */
interface Told {
  readonly event: TimelineEvent;
  readonly made: number;
}

/** Decides when the following is over. */
export interface Ending {
  observe(update: Update): void;
  /** All that there is was read just now, and observed. Says whether before there was trouble that may have kept something back. */
  caughtUp(): boolean;
  /** How long nothing need be decided, in ms. */
  patience(): number;
  /** Until the timeout, in ms. */
  timeLeft(): number;
  /** Whether by all that is known the agent is at work, or about to be. */
  isGoing(): boolean;
  /** As it was read last. */
  readonly session: SessionState | undefined;
  decide(): Promise<End | undefined>;
}

/**
 * What is known of the session while it is followed, as far as the end of the following depends on it. `hangs`: whether the timeline is
 * being read, and nothing comes of it.
 */
export function makeEnding(
  { client, sessionId, clock, signal, until, message, timeout = Infinity }: EndingOptions,
  hangs: () => boolean,
): Ending {
  const telling = new Map<string, Told>();
  /** Events come late, too; the newest is the one that was made last. */
  let [newest, isInOrder] = [-Infinity, true];
  /** The same as a list, made when it is asked for: there may be many, and each step asks more than once. */
  let list: readonly TimelineEvent[] | undefined;
  const deadline = clock.elapsed() + timeout;
  let session: SessionState | undefined;
  let changed = clock.elapsed();
  let drained = Infinity;
  /** What was over before its events were read has nothing more to say. */
  let wasOver = false;
  /** Since when it is over. */
  let over = Infinity;
  /** Events may be other than we know them: they couldn't be read the last time. */
  let isStale = false;
  /** Whether the timeline isn't there: it has yet to be read, or that fails just now. */
  let [isRead, isFailing] = [false, false];

  const tellingEvents = (): readonly TimelineEvent[] => {
    if (list !== undefined) return list;
    const told = [...telling.values()];
    if (!isInOrder) told.sort((one, other) => (one.made === other.made ? 0 : one.made - other.made));
    return (list = told.map(({ event }) => event));
  };
  const take = (event: TimelineEvent, made: number): void => {
    if (!isTelling(event)) return void telling.delete(event.id);
    if (made < newest && !telling.has(event.id)) isInOrder = false;
    newest = Math.max(newest, made);
    telling.set(event.id, { event: tellingOf(event), made });
  };
  const outOfTime = (): End => {
    const inTheWay = whatIsInTheWay();
    return inTheWay === undefined ? { outcome: "timeout" } : { outcome: "timeout", inTheWay };
  };
  const whatIsInTheWay = (): InTheWay | undefined => {
    if (!isRead || isFailing || hangs()) return "unread";
    const events = tellingEvents();
    const isNamedThere = message === undefined || events.some((event) => isNamed(event, message));
    if (!isNamedThere && !isNamedOtherwise(events, message)) return "missing";
    const open = (["queued", "processing"] as const).find((word) => events.some(({ status }) => status === word));
    return open ?? (isNamedThere ? undefined : "nameless");
  };
  const verdict = (): Verdict => {
    if (session === undefined || until === "never") return { state: "going" };
    return judge({ session, events: tellingEvents(), message, quiet: clock.elapsed() - changed });
  };
  /** A state that it has only just come to has not rested yet, however long nothing happened before. */
  const takeSession = (now: SessionState): void => {
    const isAsBefore = session?.status === now.status && session?.agent_status === now.agent_status;
    if (!isAsBefore) changed = clock.elapsed();
    session = now;
  };
  const reread = async (): Promise<boolean> => {
    try {
      const read = await orTimeUp(client.readSession({ params: { sessionId }, signal }), deadline - clock.elapsed(), clock);
      if (read === timeUp) return false;
      takeSession(read);
      return true;
    } catch (error) {
      // The line is bad just now: the source will bring the session when it is better.
      if (passes(error)) return false;
      throw error;
    }
  };
  return {
    observe(update) {
      if (update.kind === "session") {
        wasOver = update.before === true || (wasOver && session?.status === update.session.status);
        takeSession(update.session);
      }
      if (update.kind === "trouble") [isStale, isFailing] = [true, true];
      if (update.kind === "source") isRead = true;
      if (update.kind === "events" || update.kind === "session") isFailing = false;
      if (update.kind !== "events") return;
      changed = clock.elapsed();
      list = undefined;
      // One whose time can't be read stays behind its neighbour.
      let last = newest;
      for (const { event } of update.items) {
        const made = madeAt(event);
        if (!Number.isNaN(made)) last = made;
        take(event, last);
      }
    },
    caughtUp() {
      const was = isStale;
      isStale = false;
      return was;
    },
    patience() {
      const now = verdict();
      const settling = now.state === "settling" && until === "idle" ? now.wait : Infinity;
      return Math.min(settling, drained - clock.elapsed(), deadline - clock.elapsed());
    },
    timeLeft: () => Math.max(0, deadline - clock.elapsed()),
    isGoing: () => verdict().state === "going",
    get session() {
      return session;
    },
    async decide() {
      if (clock.elapsed() >= deadline) return outOfTime();
      const first = verdict();
      over = first.state === "ended" ? Math.min(over, clock.elapsed()) : Infinity;
      if (first.state === "ended") {
        if (drained === Infinity) drained = clock.elapsed() + (wasOver ? 0 : drainTime);
        if (clock.elapsed() < drained) return undefined;
      } else if (until !== "idle" || first.state === "going" || first.state === "settling") {
        drained = Infinity;
        return undefined;
      }
      // What we know of the session may be a moment old: only what it says now counts.
      if (!(await reread())) return clock.elapsed() >= deadline ? outOfTime() : undefined;
      const second = verdict();
      drained = Infinity;
      if (second.state !== first.state || !("outcome" in second)) return undefined;
      if (!isWanted(second.outcome, until)) return undefined;
      if (second.state !== "ended" || isStale || !tellingEvents().some(isOpen)) return second;
      // It may be taken up yet; but there are services that leave it so for ever, or that drop the event.
      return clock.elapsed() - over < (wasOver ? drainTime : settleTime) ? undefined : { ...second, note: stillOpen };
    },
  };
}

/** What `judge` looks at, and nothing else: of what is under way there may be as much as there are events. */
function tellingOf({ id, type = null, status = null, client_id = null }: TimelineEvent): TimelineEvent {
  return { id, type, status, client_id };
}

const stillOpen = "the session is over, and something in it is still queued or processing";

/** Whether our message, of which we know no more than the client_id, may be one whose client_id the service left out or made anew. */
function isNamedOtherwise(events: readonly TimelineEvent[], message: string | readonly string[]): boolean {
  const isOnlyOurs = [message].flat().every(isFerrys);
  return isOnlyOurs && events.some(({ type, client_id }) => type === "user_message" && !isFerrys(client_id));
}

/** A session that is finished can still be merged. */
function isWanted(outcome: Outcome, until: Until): boolean {
  return until !== "merged" || outcome !== "finished";
}
