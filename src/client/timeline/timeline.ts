import type { EventItem, TimelineEvent, Update } from "./items.ts";

/** What was seen of a session's timeline: tells what is new, what has changed, and where to go on. */
export interface Timeline {
  /** The greatest revision seen; undefined where an event came without one. */
  readonly revision: number | undefined;
  /** Those of a batch that are new or have changed, in the order of their making, ties as they came: as an update, or none. */
  accept(batch: readonly TimelineEvent[]): Update[];
  /** The service counts its revisions anew: where to go on is its start, and what is the same there is no news. */
  restart(): void;
}

export function makeTimeline(): Timeline {
  const seen = new Map<string, Version>();
  let revision: number | undefined = 0;
  let newest = -Infinity;

  const accept = (event: TimelineEvent): EventItem[] => {
    const before = seen.get(event.id);
    const version = versionOf(event);
    if (revision !== undefined) revision = version.revision === undefined ? undefined : Math.max(revision, version.revision);
    if (before !== undefined && isOlder(version, before)) return [];
    seen.set(event.id, version);
    if (before?.stamp === version.stamp) return [];
    const made = madeAt(event);
    const late = before === undefined && made < newest;
    newest = Math.max(newest, Number.isNaN(made) ? -Infinity : made);
    return [{ kind: "event", event, update: before !== undefined, late }];
  };
  return {
    get revision() {
      return revision;
    },
    accept(batch) {
      const items = inOrder(batch).flatMap(accept);
      return items.length === 0 ? [] : [{ kind: "events", items }];
    },
    restart() {
      revision = 0;
      for (const [id, { stamp }] of seen) seen.set(id, { revision: undefined, stamp });
    },
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

/** Two versions of an event are the same if their stamps are. */
interface Version {
  readonly revision: number | undefined;
  readonly stamp: string;
}

/** A service that counts revisions keeps `updated_at`, too; of another one, all that the event says is compared. */
function versionOf(event: TimelineEvent): Version {
  const { revision, updated_at, status } = event;
  if (typeof revision !== "number") return { revision: undefined, stamp: print(JSON.stringify(event)) };
  return { revision, stamp: `${updated_at ?? revision} ${status ?? ""}` };
}

/** A stream may repeat what an answer by another way already had newer. */
function isOlder(version: Version, before: Version): boolean {
  return version.revision !== undefined && before.revision !== undefined && version.revision < before.revision;
}

/** Length and FNV-1a of 32 bits: enough to tell two versions of one event apart. */
function print(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `${text.length} ${hash}`;
}
