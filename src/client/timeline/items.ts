import type { FerryError } from "../../base/errors.ts";
import { parseTime } from "../../base/time.ts";
import type { Answer } from "../answers.ts";

export type TimelineEvent = Answer<"readEvents">[number];
export type SessionState = Answer<"readSession">;

/** When an event was made, in epoch ms; NaN where what it says is no time. */
export function madeAt(event: TimelineEvent): number {
  return timeOf(event.created_at);
}

/** A time in epoch ms, to the microsecond where it says so; NaN where it is none. */
export function timeOf(text: unknown): number {
  if (typeof text !== "string") return NaN;
  const time = parseTime(text);
  // `Date` knows no more than milliseconds (ECMA-262, 21.4.1): what a service wrote within one would count as at once.
  const [, finer] = text.length <= toTheMillisecond ? [] : (/\.\d{3}(\d{1,6})/u.exec(text) ?? []);
  return finer === undefined ? time : time + Number(`0.${finer}`);
}

const toTheMillisecond = "2026-01-01T00:00:00.000Z".length;

/** How a timeline is followed, best first: as a stream, by asking for what came after a revision, by reading all of it again. */
export type SourceName = "stream" | "after" | "array";

/** The JSON of an event at its place in the batch that it came in, as it came. */
export type Texts = (at: number) => string;

/** An event with where its JSON is. It holds no text itself, and no function of its own: there may be many. */
export interface SourcedEvent {
  readonly event: TimelineEvent;
  readonly texts?: Texts | undefined;
  readonly at?: number;
}

/** The JSON as it came, where that is known: in another's numbers there may be more than ours can hold. */
export function textOf({ texts, at }: SourcedEvent): string | undefined {
  return at === undefined ? undefined : texts?.(at);
}

/** An event at its first sight, or a changed version of it. */
export interface EventItem extends SourcedEvent {
  /** It was there before, and has changed. */
  readonly update: boolean;
  /** It is new, but older than what was shown already. */
  readonly late: boolean;
}

/** What a source brings. */
export type Update =
  /** Never none of them. `order` counts the updates of a timeline's events as they were taken in. */
  | { readonly kind: "events"; readonly items: readonly EventItem[]; readonly order: number }
  /** `before`: it was read before the events that came last, so that what it says of its end holds for them. */
  | { readonly kind: "session"; readonly session: SessionState; readonly before?: true }
  /** A commit is there to be pulled; the fields of `event: patch`. */
  | { readonly kind: "patch"; readonly patch: Readonly<Record<string, unknown>> }
  /** Text as the agent writes it, before its event. */
  | { readonly kind: "delta"; readonly delta: Readonly<Record<string, unknown>> }
  /** The service no longer has what came before this. */
  | { readonly kind: "gap"; readonly gap: Readonly<Record<string, unknown>> }
  /** Nothing comes, or nothing that can be read; it is tried again after `wait` ms. */
  | { readonly kind: "trouble"; readonly error: FerryError; readonly wait: number }
  /** `reason`: why not by the one before. */
  | { readonly kind: "source"; readonly name: SourceName; readonly reason?: string };
