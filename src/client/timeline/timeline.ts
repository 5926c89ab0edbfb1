import type { EventItem, TimelineEvent } from "./items.ts";

/** What was seen of a session's timeline: tells what is new, what has changed, and where to go on. */
export interface Timeline {
  /** The greatest revision seen; undefined where an event came without one. */
  readonly revision: number | undefined;
  /** Those of a batch that are new or have changed, in the order of their making, ties as they came. */
  accept(batch: readonly TimelineEvent[]): EventItem[];
}

export function makeTimeline(): Timeline {
  const seen = new Map<string, number>();
  let revision: number | undefined = 0;
  let newest = -Infinity;

  const accept = (event: TimelineEvent): EventItem[] => {
    const before = seen.get(event.id);
    const version = versionOf(event);
    if (revision !== undefined) revision = typeof event.revision === "number" ? Math.max(revision, event.revision) : undefined;
    if (before !== undefined && (before === version || isOlder(event, before))) return [];
    seen.set(event.id, version);
    const made = madeAt(event);
    const late = before === undefined && made < newest;
    newest = Math.max(newest, Number.isNaN(made) ? -Infinity : made);
    return [{ kind: "event", event, update: before !== undefined, late }];
  };
  return {
    get revision() {
      return revision;
    },
    accept: (batch) => inOrder(batch).flatMap(accept),
  };
}

/** By `created_at`, stable; one that can't be read stays behind its neighbour. */
function inOrder(batch: readonly TimelineEvent[]): TimelineEvent[] {
  let last = -Infinity;
  const keyed = batch.map((event) => {
    const made = madeAt(event);
    if (!Number.isNaN(made)) last = made;
    return { event, made: last };
  });
  return keyed.sort((one, other) => (one.made === other.made ? 0 : one.made - other.made)).map(({ event }) => event);
}

function madeAt({ created_at }: TimelineEvent): number {
  return Date.parse(created_at ?? "");
}

/** Its revision where there is one, else a print of all that it says: not every service changes `updated_at`. */
function versionOf(event: TimelineEvent): number {
  return typeof event.revision === "number" ? event.revision : print(JSON.stringify(event));
}

/** A stream may repeat what an answer by another way already had newer. */
function isOlder({ revision }: TimelineEvent, before: number): boolean {
  return typeof revision === "number" && revision < before;
}

/** FNV-1a, 32 bits, with the length above it: enough to tell two versions of one event apart. Negative: never a revision. */
function print(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return -((hash >>> 0) + (text.length % 0x10_0000) * 0x1_0000_0000);
}
