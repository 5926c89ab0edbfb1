import { makeId } from "../../../base/ids.ts";
import type { Payload, SessionEvent } from "../../../wire/event.ts";
import type { Session } from "../../../wire/resources.ts";
import type { EventStatus } from "../../../wire/values.ts";
import type { SessionChange, Store } from "../../store/store.ts";
import { type SessionsDeps, timestamp } from "../deps.ts";
import { Followers } from "./followers.ts";
import type { StreamItem } from "../sessions.ts";

/** How many stored events are read at once. */
const page = 500;

/** Writes a session's record and timeline, and tells its followers. */
export class Timeline {
  private readonly deps: Pick<SessionsDeps, "store" | "host">;
  private readonly followers = new Followers();

  constructor(deps: Pick<SessionsDeps, "store" | "host">) {
    this.deps = deps;
  }

  async append(sessionId: string, payload: Payload, status: EventStatus): Promise<SessionEvent> {
    return (await this.appendOnce(sessionId, payload, status, "")).event;
  }

  /** The event, or the one that has the sender's id already ("" for none); `fresh` says which. */
  async appendOnce(
    sessionId: string,
    payload: Payload,
    status: EventStatus,
    clientId: string,
  ): Promise<{ event: SessionEvent; fresh: boolean }> {
    const id = makeId("evt", this.deps.host.random);
    const at = timestamp(this.deps);
    const event = await this.deps.store.timeline.append(sessionId, { id, payload, status, client_id: clientId, at });
    this.followers.ring(sessionId);
    return { event, fresh: event.id === id };
  }

  async update(sessionId: string, eventId: string, change: { status?: EventStatus; payload?: Payload }): Promise<void> {
    await this.deps.store.timeline.update(sessionId, eventId, { ...change, at: timestamp(this.deps) });
    this.followers.ring(sessionId);
  }

  /** A line of ferry's own in the timeline. */
  async say(sessionId: string, message: string): Promise<void> {
    await this.append(sessionId, { type: "system_message", message }, "completed");
  }

  /** Changes the session's record; what it is then. @throws Error where it is gone */
  async change(sessionId: string, change: Omit<SessionChange, "updated_at">): Promise<Session> {
    const session = await this.deps.store.sessions.update(sessionId, { ...change, updated_at: timestamp(this.deps) });
    if (session === undefined) throw new Error(`the session ${sessionId} is gone from the store`);
    this.tell(sessionId, { type: "session", session });
    return session;
  }

  /** Several writes as one: followers are told when all of them are on disk, or of none. */
  async together<T>(sessionId: string, work: (timeline: Timeline) => Promise<T>): Promise<T> {
    const told: StreamItem[] = [];
    const result = await this.deps.store.transaction((store: Store) => {
      const inner = new Timeline({ ...this.deps, store });
      inner.tell = (_, item) => void told.push(item);
      return work(inner);
    });
    this.followers.ring(sessionId);
    for (const item of told) this.tell(sessionId, item);
    return result;
  }

  /** Tells those who follow now; nothing is kept. */
  tell(sessionId: string, item: StreamItem): void {
    this.followers.tell(sessionId, item);
  }

  /**
   * The stored events after a revision, then live ones, until the signal aborts. A stored event is only ever read from the
   * store, in the order of revisions, and the live side is a doorbell: so there is no gap, no repeat, and nothing to overflow.
   */
  async *follow(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<StreamItem> {
    const follower = this.followers.join(sessionId, signal);
    let seen = after;
    try {
      do {
        for await (const event of this.stored(sessionId, seen)) {
          yield { type: "session_event", event };
          seen = event.revision ?? seen;
        }
        yield* follower.take();
      } while (await follower.next());
    } finally {
      follower.end();
    }
  }

  private async *stored(sessionId: string, after: number): AsyncGenerator<SessionEvent> {
    for (let seen = after; ;) {
      const events = await this.deps.store.timeline.after(sessionId, seen, page);
      yield* events;
      if (events.length < page) return;
      seen = events.at(-1)?.revision ?? seen;
    }
  }
}
