import { makeId } from "../../../base/ids.ts";
import type { Payload, SessionEvent } from "../../../wire/event.ts";
import type { Session } from "../../../wire/resources.ts";
import type { EventStatus } from "../../../wire/values.ts";
import { boundedPayload } from "../../agent/bounded-payload.ts";
import type { SessionChange, Store } from "../../store/store.ts";
import { type SessionsDeps, timestamp } from "../deps.ts";
import type { StreamItem } from "../sessions.ts";

/** Who is told of what is written. */
export interface Audience {
  /** Something was stored. */
  ring(sessionId: string): void;
  /** Something that isn't stored, or not as an event. */
  tell(sessionId: string, item: StreamItem): void;
}

/** Writes a session's record and timeline. */
export class TimelineWriter {
  protected readonly deps: Pick<SessionsDeps, "store" | "host">;
  private readonly audience: Audience;

  constructor(deps: Pick<SessionsDeps, "store" | "host">, audience: Audience) {
    this.deps = deps;
    this.audience = audience;
  }

  /** Where it writes to: within `together` a transaction of its own. */
  get store(): Store {
    return this.deps.store;
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
    const bounded = boundedPayload(payload);
    const event = await this.deps.store.timeline.append(sessionId, { id, payload: bounded, status, client_id: clientId, at });
    this.audience.ring(sessionId);
    return { event, fresh: event.id === id };
  }

  async update(sessionId: string, eventId: string, change: { status?: EventStatus; payload?: Payload }): Promise<void> {
    const payload = change.payload && boundedPayload(change.payload);
    await this.deps.store.timeline.update(sessionId, eventId, {
      ...change,
      ...(payload && { payload }),
      at: timestamp(this.deps),
    });
    this.audience.ring(sessionId);
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

  /** Tells those who follow now; nothing is kept. */
  tell(sessionId: string, item: StreamItem): void {
    this.audience.tell(sessionId, item);
  }
}
