import { madeAt, type EventItem, type TimelineEvent, type Update } from "./items.ts";
import type { EventBatch } from "./whole/array.ts";
import { printOf } from "./whole/print.ts";

/** What was seen of a session's timeline: tells what is new, what has changed, and where to go on. */
export interface Timeline {
  /** The greatest revision seen; undefined where an event came without one. */
  readonly revision: number | undefined;
  /**
   * Those of a batch that are new or have changed, in the order of their making, ties as they came: as an update, or none. `prints`
   * are those of the events' bytes, `text` gives their JSON as it came, where these are known.
   */
  accept(batch: readonly TimelineEvent[], known?: Partial<Pick<EventBatch, "prints" | "text">>): Update[];
  /** The service counts its revisions anew: where to go on is its start, and what is the same there is no news. */
  restart(): void;
}

export function makeTimeline(): Timeline {
  const seen = new Map<string, Version>();
  let revision: number | undefined = 0;
  let newest = -Infinity;

  const accept = (event: TimelineEvent, mark: number | undefined, made: number): EventItem | undefined => {
    const before = seen.get(event.id);
    const version = versionOf(event, mark);
    if (revision !== undefined) revision = version.revision === undefined ? undefined : Math.max(revision, version.revision);
    if (before !== undefined && isOlder(version, before)) return undefined;
    seen.set(event.id, version);
    if (before?.stamp === version.stamp) return undefined;
    const late = before === undefined && made < newest;
    if (made > newest) newest = made;
    return { event, update: before !== undefined, late };
  };
  return {
    get revision() {
      return revision;
    },
    accept(batch, { prints, text } = {}) {
      const items: EventItem[] = [];
      for (const { event, at, made } of inOrder(batch)) {
        const item = accept(event, prints?.[at], made);
        if (item !== undefined) items.push(text === undefined ? item : { ...item, text: () => text(at) });
      }
      return items.length === 0 ? [] : [{ kind: "events", items }];
    },
    restart() {
      revision = 0;
      for (const [id, { stamp }] of seen) seen.set(id, { revision: undefined, stamp });
    },
  };
}

interface Placed {
  readonly event: TimelineEvent;
  readonly at: number;
  /** NaN where it can't be read. */
  readonly made: number;
}

/** By `created_at`, stable; one that can't be read stays behind its neighbour. */
function inOrder(batch: readonly TimelineEvent[]): Placed[] {
  let [last, isInOrder] = [-Infinity, true];
  const placed = batch.map((event, at) => {
    const made = madeAt(event);
    if (made < last) isInOrder = false;
    if (!Number.isNaN(made)) last = made;
    return { event, at, made, key: last };
  });
  return isInOrder ? placed : placed.sort((one, other) => (one.key === other.key ? 0 : one.key - other.key));
}

/** Two versions of an event are the same if their stamps are. */
interface Version {
  readonly revision: number | undefined;
  readonly stamp: number;
}

/**
 * All that the event says is compared. Where a service counts revisions, all that can change but them: they may be counted anew.
 * `updated_at` alone is too coarse, an event can change twice within its unit.
 */
function versionOf(event: TimelineEvent, mark: number | undefined): Version {
  const { revision, updated_at, status } = event;
  if (typeof revision !== "number") return { revision: undefined, stamp: mark ?? printOf(event) };
  return { revision, stamp: printOf([status, updated_at, event.payload]) };
}

/** A stream may repeat what an answer by another way already had newer. */
function isOlder(version: Version, before: Version): boolean {
  return version.revision !== undefined && before.revision !== undefined && version.revision < before.revision;
}
