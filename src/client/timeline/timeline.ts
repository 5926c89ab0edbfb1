import { Ids } from "./compact/ids.ts";
import { type Version, Versions } from "./compact/versions.ts";
import { isOpen } from "../outcome.ts";
import { madeAt, timeOf, type EventItem, type TimelineEvent, type Update } from "./items.ts";
import type { EventBatch } from "./whole/array.ts";
import { printOf } from "./whole/print.ts";

/** What was seen of a session's timeline: tells what is new, what has changed, and where to go on. */
export interface Timeline {
  /** The greatest revision up to which all is known; undefined where an event came without one. */
  readonly revision: number | undefined;
  /** The id of the event that has it: a service that counts anew doesn't have that there any more. Undefined where it isn't to be had. */
  readonly newestId: string | undefined;
  /** That of the update which `accept` gave last; 0 before the first. */
  readonly order: number;
  /**
   * Those of a batch that are new or have changed, in the order of their making, ties as they came: as an update, or none. `text` gives
   * their JSON as it came, where that is known.
   */
  accept(batch: readonly TimelineEvent[], known?: Partial<Pick<EventBatch, "text">>): Update[];
  /**
   * Whether a batch of the whole shows that the service counts its revisions anew: one of them is new and has a revision that was
   * passed already (`newest` was the greatest when it was asked for), or is the same and has a smaller one than before. An answer
   * that is merely old, from a cache say, has neither.
   */
  isAnew(batch: readonly TimelineEvent[], newest: number): boolean;
  /** From here on what is new says nothing of what lies before it: where to go on stays, until that was read. */
  hold(): void;
  readonly isHeld: boolean;
  /** What lies before the newest was read. */
  release(): void;
  /** The service no longer has the newest, and counts on. */
  dropNewest(): void;
  /** The service counts its revisions anew: where to go on is its start, until what is there was read; what is the same there is no news. */
  restart(): void;
}

export function makeTimeline(): Timeline {
  const ids = new Ids();
  const versions = new Versions();
  let revision: number | undefined = 0;
  let newestId: string | undefined;
  let held: { readonly revision: number; readonly newestId: string | undefined } | undefined;
  let newest = -Infinity;
  let order = 0;

  /** Whether it is new or has changed. */
  const isNews = (event: TimelineEvent, place: number, made: number): boolean => {
    const version = versionOf(event, made);
    if (Number.isNaN(version.revision)) revision = undefined;
    else if (revision !== undefined && version.revision > revision) [revision, newestId] = [version.revision, event.id];
    if (place >= 0) return versions.take(place, version);
    ids.add(event.id);
    versions.add(version);
    return true;
  };
  return {
    get revision() {
      return revision === undefined ? undefined : (held?.revision ?? revision);
    },
    get newestId() {
      return held === undefined ? newestId : held.newestId;
    },
    get order() {
      return order;
    },
    accept(batch, { text } = {}) {
      const items: EventItem[] = [];
      for (const { event, at, made } of inOrder(batch)) {
        const place = ids.find(event.id);
        if (!isNews(event, place, made)) continue;
        items.push({ event, update: place >= 0, late: place < 0 && made < newest, texts: text, at });
        if (made > newest) newest = made;
      }
      return items.length === 0 ? [] : [{ kind: "events", items, order: ++order }];
    },
    isAnew(batch, newest) {
      if (revision === undefined || newest === 0) return false;
      return batch.some((event) => {
        if (typeof event.revision !== "number") return false;
        const place = ids.find(event.id);
        return place < 0 ? event.revision <= newest : versions.isRenumbered(place, versionOf(event));
      });
    },
    hold() {
      if (revision !== undefined) held ??= { revision, newestId };
    },
    get isHeld() {
      return held !== undefined;
    },
    release() {
      held = undefined;
    },
    dropNewest() {
      if (held === undefined) newestId = undefined;
      else held = { ...held, newestId: undefined };
    },
    restart() {
      [revision, newestId] = [0, undefined];
      held = { revision, newestId };
      versions.forgetRevisions();
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

/**
 * What the interface's fields say is compared: what a service adds of its own may differ at each look (when it was served, say), and a
 * time alone is no change. Where it counts revisions, `updated_at` is one: an event can change twice within its unit, though.
 */
function versionOf(event: TimelineEvent, made = madeAt(event)): Version {
  const { revision, type, created_at, updated_at, status, payload, client_id, session_goal_id, session_task_id } = event;
  const isCounted = typeof revision === "number";
  const said = isCounted ? [status, updated_at, payload] : [type, status, payload, client_id, session_goal_id, session_task_id];
  return {
    revision: isCounted ? revision : NaN,
    // Most say the same time twice.
    updated: updated_at === created_at ? made : timeOf(updated_at),
    stamp: printOf(said),
    isOpen: isOpen(event),
  };
}
