import { Ids } from "./compact/ids.ts";
import { Numbers } from "./compact/numbers.ts";
import { madeAt, type EventItem, type TimelineEvent, type Update } from "./items.ts";
import type { EventBatch } from "./whole/array.ts";
import { printOf } from "./whole/print.ts";

/** What was seen of a session's timeline: tells what is new, what has changed, and where to go on. */
export interface Timeline {
  /** The greatest revision seen; undefined where an event came without one. */
  readonly revision: number | undefined;
  /** The id of the event that has it: a service that counts anew doesn't have that there any more. Undefined where it isn't to be had. */
  readonly newestId: string | undefined;
  /**
   * Those of a batch that are new or have changed, in the order of their making, ties as they came: as an update, or none. `prints`
   * are those of the events' bytes, `text` gives their JSON as it came, where these are known.
   */
  accept(batch: readonly TimelineEvent[], known?: Partial<Pick<EventBatch, "prints" | "text">>): Update[];
  /**
   * Whether a batch of the whole shows that the service counts its revisions anew: one of them is new and has a revision that was
   * passed already (`newest` was the greatest when it was asked for), or is the same and has a smaller one than before. An answer
   * that is merely old, from a cache say, has neither.
   */
  isAnew(batch: readonly TimelineEvent[], newest: number): boolean;
  /** The service no longer has the newest, and counts on. */
  dropNewest(): void;
  /** The service counts its revisions anew: where to go on is its start, and what is the same there is no news. */
  restart(): void;
}

export function makeTimeline(): Timeline {
  const ids = new Ids();
  /** Of each id by its number; NaN where it came without a revision. */
  const [revisions, stamps] = [new Numbers(), new Numbers()];
  let revision: number | undefined = 0;
  let newestId: string | undefined;
  let newest = -Infinity;
  let order = 0;

  const versionAt = (place: number): Version | undefined =>
    place < 0 ? undefined : { revision: revisions.at(place), stamp: stamps.at(place) };
  const keep = (place: number, version: Version): void => {
    revisions.set(place, version.revision);
    stamps.set(place, version.stamp);
  };
  /** Whether it is new or has changed. */
  const isNews = (event: TimelineEvent, place: number, mark: number | undefined): boolean => {
    const version = versionOf(event, mark);
    if (Number.isNaN(version.revision)) revision = undefined;
    else if (revision !== undefined && version.revision > revision) [revision, newestId] = [version.revision, event.id];
    const before = versionAt(place);
    if (before === undefined) {
      ids.add(event.id);
      revisions.push(version.revision);
      stamps.push(version.stamp);
      return true;
    }
    if (isOlder(version, before)) return false;
    keep(place, version);
    return before.stamp !== version.stamp;
  };
  return {
    get revision() {
      return revision;
    },
    get newestId() {
      return newestId;
    },
    accept(batch, { prints, text } = {}) {
      const items: EventItem[] = [];
      for (const { event, at, made } of inOrder(batch)) {
        const place = ids.find(event.id);
        if (!isNews(event, place, prints?.[at])) continue;
        items.push({ event, update: place >= 0, late: place < 0 && made < newest, texts: text, at });
        if (made > newest) newest = made;
      }
      return items.length === 0 ? [] : [{ kind: "events", items, order: ++order }];
    },
    isAnew(batch, newest) {
      if (revision === undefined || newest === 0) return false;
      return batch.some((event) => {
        if (typeof event.revision !== "number") return false;
        const before = versionAt(ids.find(event.id));
        if (before === undefined) return event.revision <= newest;
        const version = versionOf(event, undefined);
        return isOlder(version, before) && version.stamp === before.stamp;
      });
    },
    dropNewest() {
      newestId = undefined;
    },
    restart() {
      [revision, newestId] = [0, undefined];
      for (let place = 0; place < ids.size; place++) revisions.set(place, NaN);
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
  /** NaN without one. */
  readonly revision: number;
  readonly stamp: number;
}

/**
 * All that the event says is compared. Where a service counts revisions, all that can change but them: they may be counted anew.
 * `updated_at` alone is too coarse, an event can change twice within its unit.
 */
function versionOf(event: TimelineEvent, mark: number | undefined): Version {
  const { revision, updated_at, status } = event;
  if (typeof revision !== "number") return { revision: NaN, stamp: mark ?? printOf(event) };
  return { revision, stamp: printOf([status, updated_at, event.payload]) };
}

/** A stream may repeat what an answer by another way already had newer. */
function isOlder(version: Version, before: Version): boolean {
  return version.revision < before.revision;
}
