import type { SessionEvent } from "../../wire/event.ts";
import type { Provider, Repository, Session } from "../../wire/resources.ts";
import type { AgentStatus, EventStatus, Scope, SessionStatus } from "../../wire/values.ts";
import type { AccountStore } from "./identity/account-store.ts";
import type { LoginStore } from "./identity/login-store.ts";

/**
 * Everything that the service remembers. Acknowledged means on disk. Each method is one transaction; `transaction` makes
 * several one. Times are ISO 8601 with milliseconds, in UTC.
 */
export interface Store {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly logins: LoginStore;
  readonly providers: ResourceStore<ProviderRecord>;
  readonly repositories: ResourceStore<Repository> & {
    /** The one of platform `git` that was registered for this place. */
    findByPlace(cloneUrl: string): Promise<Repository | undefined>;
    /** Whether there is one that is reached through this code provider. */
    hasProvider(providerId: string): Promise<boolean>;
  };
  readonly sessions: SessionStore;
  readonly timeline: TimelineStore;
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; "" on the last page. */
  readonly next_cursor: string;
}

export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Lists are newest first. A cursor that isn't one of ours is a Problem 400 `invalid_cursor`. */
export interface ResourceStore<T extends { readonly id: string }> {
  insert(record: T): Promise<void>;
  find(id: string): Promise<T | undefined>;
  list(query: PageQuery): Promise<Page<T>>;
  /** The record as it is afterwards; undefined where there is none. */
  update(id: string, change: Partial<T>): Promise<T | undefined>;
  delete(id: string): Promise<T | undefined>;
}

/** A provider's token is kept sealed (AES-256-GCM), never as it came. */
export type ProviderRecord = Omit<Provider, "metadata"> & { readonly sealed_token: string; readonly token_hint: string };

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  /** Hex of the key's sha256: keys are random, so a plain hash is enough to look them up by. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly created_at: string;
}

/** One that is kept, with whose it is; also of a user who was removed. */
export interface KeptKey extends KeyRecord {
  readonly user_name: string;
}

export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface KeyStore {
  insert(key: KeyRecord): Promise<void>;
  find(id: string): Promise<KeptKey | undefined>;
  findByHash(hash: string): Promise<KeptKey | undefined>;
  list(query: PageQuery & { readonly user_id?: string | undefined }): Promise<Page<KeptKey>>;
  /** The key as it is afterwards; one that was revoked before keeps its time. */
  revoke(id: string, at: string): Promise<KeptKey | undefined>;
  /** Nobody once they were removed: nothing is done in their name any more. */
  findUser(id: string): Promise<UserRecord | undefined>;
  insertUser(user: UserRecord): Promise<void>;
}

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(id: string): Promise<Session | undefined>;
  list(
    query: PageQuery & { readonly status?: SessionStatus | undefined; readonly user_id?: string | undefined },
  ): Promise<Page<Session>>;
  update(id: string, change: SessionChange): Promise<Session | undefined>;
  /** Sessions whose `status` is `active`, for recovery at start and for what may not be deleted. */
  listActive(repositoryId?: string): Promise<Session[]>;
  /**
   * Takes or renews the lease on a session until a time (epoch ms); false where another owner holds it. The owner alone runs
   * the session's messages.
   */
  lease(id: string, owner: string, until: number, now: number): Promise<boolean>;
  release(id: string, owner: string): Promise<void>;
}

export interface SessionChange {
  readonly title?: string;
  readonly branch_name?: string;
  readonly auto_commit?: boolean;
  readonly model?: string;
  readonly status?: SessionStatus;
  readonly agent_status?: AgentStatus;
  /** undefined takes it away. */
  readonly sandbox_id?: string | undefined;
  readonly base_commit?: string;
  readonly head_commit?: string;
  readonly merged_at?: string;
  readonly usage?: Session["usage"];
  readonly updated_at: string;
}

/** What an event is made of; `seq`, `revision` and the session's id are given by the store. */
export interface NewEvent {
  readonly id: string;
  readonly payload: SessionEvent["payload"];
  readonly status: EventStatus;
  readonly client_id?: string;
  readonly at: string;
}

/** Which events of a timeline. */
export interface TimelinePart {
  /** Those whose revision is greater, by revision; without it all of them, in the order they were appended. */
  readonly after?: number | undefined;
  /** So many at most. */
  readonly limit?: number | undefined;
  /** Of this type alone. */
  readonly type?: SessionEvent["type"] | undefined;
}

export interface TimelineStore {
  /** The event with its `revision`; an event of the same `client_id` (not "") of type user_message is given back instead of a second one. */
  append(sessionId: string, event: NewEvent): Promise<SessionEvent>;
  /** Changes an event and gives it a new revision; undefined where there is none. */
  update(
    sessionId: string,
    eventId: string,
    change: { readonly status?: EventStatus; readonly payload?: SessionEvent["payload"]; readonly at: string },
  ): Promise<SessionEvent | undefined>;
  /** Events in pages of little size, each read when it is asked for: a timeline may be far larger than the memory. */
  pages(sessionId: string, part?: TimelinePart): AsyncGenerator<SessionEvent[]>;
  /** Events of a status (and a type), in order: the queue is `user_message` `queued`. */
  withStatus(sessionId: string, status: EventStatus, type?: SessionEvent["type"]): Promise<SessionEvent[]>;
  /** The greatest revision so far; 0 for an empty timeline. */
  revision(sessionId: string): Promise<number>;
}
