import { FerryError } from "../../../base/errors.ts";
import type { Answer } from "../../../client/answers.ts";
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
}

/**
 * A service that works on behind a gateway that gave up stores the message later: it is looked for so long, in ms, with pauses that
 * double. One that knows no client_id would store it twice.
 */
const searchTime = 30_000;
const firstPause = 500;

/**
 * Looks for a message that may have arrived, again and again before it says that it hasn't, also through failures that pass. Where the
 * service keeps no client_id, one with the same words that can't have been there before is it.
 * @throws FerryError what went wrong; unavailable where one with the same words may be it, or an earlier one
 */
export async function findArrived(context: Context, open: OpenSession, outgoing: Outgoing): Promise<KnownEvent | undefined> {
  const { clock, interrupt } = context.host;
  const end = clock.elapsed() + searchTime;
  let earlier: ReadonlySet<unknown> | undefined = outgoing.fresh ? new Set() : undefined;
  for (let pause = firstPause; ; pause *= 2) {
    const left = end - clock.elapsed();
    const isLast = left <= 0;
    const found = await look(context, open, outgoing).catch((error: unknown) => {
      interrupt.throwIfAborted();
      if (isLast || !(isTrouble(error) || (outgoing.fresh && isUnknown(error)))) throw error;
    });
    if (found?.ours !== undefined) return found.ours;
    const namesakes = found?.namesakes ?? [];
    const ours = earlier && namesakes.find(({ id }) => earlier?.has(id) === false);
    if (ours !== undefined) return ours;
    if (isLast && namesakes.length === 0) return undefined;
    if (isLast) throw new FerryError("unavailable", "the service has a message with the same words");
    if (found !== undefined) earlier ??= new Set(namesakes.map(({ id }) => id));
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
  /** Those with the same words that don't say whose they are. */
  readonly namesakes: readonly KnownEvent[];
}

async function look(context: Context, open: OpenSession, { clientId, message }: Outgoing): Promise<Found> {
  const namesakes: KnownEvent[] = [];
  const ours = await findEvent(context, open, (event) => {
    if (event.client_id === clientId) return true;
    if (event.type === "user_message" && !event.client_id && wordsOf(event) === message.trim()) namesakes.push(event);
    return false;
  });
  return { ours, namesakes };
}

function wordsOf({ payload }: KnownEvent): string | undefined {
  const { message } = (payload ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message.trim() : undefined;
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
