import { FerryError } from "../../../base/errors.ts";
import { parseTime } from "../../../base/time.ts";
import type { Answer } from "../../../client/answers.ts";
import { isFerrys } from "../../../client/outcome.ts";
import { passes } from "../../../client/timeline/source.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";
import { timelineOf } from "./timeline.ts";

export type KnownEvent = Answer<"readEvents">[number];

/** A message on its way: by `clientId` it is known, however often it is sent. */
export interface Outgoing {
  readonly clientId: string;
  readonly message: string;
  /** Whether the session was made just now for it: it may not be known everywhere yet, and nobody else has written there. */
  readonly fresh: boolean;
  /** When the sending began, in epoch ms. */
  readonly began: number;
}

/**
 * A service that works on behind a gateway that gave up stores the message later: it is looked for so long, in ms, with pauses that
 * double. One that knows no client_id would store it twice.
 */
export const usualSearch = 30_000;
const firstPause = 500;
/** A service's clock may be behind ours by so much, in ms. */
const clockSkew = 5_000;

/**
 * Looks for a message that may have arrived, again and again before it says that it hasn't, also through failures that pass. Where the
 * service keeps no client_id, or makes one of its own, one with the same words that can't have been there before is it; one with other
 * words may be, since services change them. `within`: for how long it is looked for, in ms.
 * @throws FerryError what went wrong; unavailable where one may be it, or another
 */
export async function findArrived(
  context: Context,
  open: OpenSession,
  outgoing: Outgoing,
  within: number,
): Promise<KnownEvent | undefined> {
  const { clock, interrupt } = context.host;
  const end = clock.elapsed() + within;
  let earlier: ReadonlySet<unknown> | undefined = outgoing.fresh ? new Set() : undefined;
  for (let pause = firstPause; ; pause *= 2) {
    const left = end - clock.elapsed();
    const isLast = left <= 0;
    const found = await look(context, open, outgoing).catch((error: unknown) => {
      interrupt.throwIfAborted();
      if (isLast || !(isTrouble(error) || (outgoing.fresh && isUnknown(error)))) throw error;
    });
    if (found?.ours !== undefined) return found.ours;
    const nameless = found?.nameless ?? [];
    const namesakes = nameless.filter((event) => wordsOf(event) === folded(outgoing.message));
    const isNew = ({ id }: KnownEvent): boolean => earlier?.has(id) === false;
    const ours = namesakes.find(isNew);
    if (ours !== undefined) return ours;
    if (isLast && namesakes.length > 0) throw new FerryError("unavailable", "the service has a message with the same words");
    if (isLast && nameless.some((event) => isNew(event) || isSince(event, outgoing.began)))
      throw new FerryError("unavailable", "the service has a new message, with other words");
    if (isLast) return undefined;
    if (found !== undefined) earlier ??= new Set(nameless.map(({ id }) => id));
    await clock.sleep(Math.min(pause, left), interrupt);
  }
}

/** A service that says no once is not asked again: whoever sends waits for this. */
function isTrouble(error: unknown): boolean {
  return passes(error) && error.kind === "unavailable";
}

/** A session that was made just now may not be known everywhere yet. */
function isUnknown(error: unknown): boolean {
  return error instanceof FerryError && error.status === 404;
}

interface Found {
  readonly ours: KnownEvent | undefined;
  /** The messages that don't say that they are another ferry's. */
  readonly nameless: readonly KnownEvent[];
}

async function look(context: Context, open: OpenSession, { clientId }: Outgoing): Promise<Found> {
  const nameless: KnownEvent[] = [];
  const ours = await findEvent(context, open, (event) => {
    if (event.client_id === clientId) return true;
    if (event.type === "user_message" && !isFerrys(event.client_id)) nameless.push(event);
    return false;
  });
  return { ours, nameless };
}

function wordsOf({ payload }: KnownEvent): string | undefined {
  const { message } = (payload ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? folded(message) : undefined;
}

/** A service may store other line ends, fewer blanks, or characters composed. */
function folded(message: string): string {
  return message.normalize("NFC").replace(/\s+/gu, " ").trim();
}

/** Whether it was made after that, by a clock that needn't be ours. */
function isSince({ created_at }: KnownEvent, began: number): boolean {
  return typeof created_at === "string" && parseTime(created_at) >= began - clockSkew;
}

/** The first event of the timeline that it is. `stop` ends the search. @throws FerryError what went wrong */
export async function findEvent(
  context: Context,
  open: OpenSession,
  isIt: (event: KnownEvent) => boolean,
  stop?: AbortSignal,
): Promise<KnownEvent | undefined> {
  for await (const events of timelineOf(context, open, stop)) {
    const found = events.find(isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}
