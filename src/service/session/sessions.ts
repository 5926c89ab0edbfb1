import type { SessionEvent } from "../../wire/event.ts";
import type { Manifest, Uncommitted } from "../../wire/patches.ts";
import type { Session } from "../../wire/resources.ts";
import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { UserRecord } from "../store/store.ts";

/** The session engine as the handlers see it. Every refusal is a Problem. */
export interface Sessions {
  /** Recovers what an earlier process left (interrupted turns are told in their timeline, sandboxes swept), then serves. */
  start(): Promise<void>;
  /** Ends turns and sandboxes; what waits in a queue stays there for the next start. */
  stop(): Promise<void>;
  /** Whether a turn runs or a message waits: an idle service may stop. */
  busy(): boolean;

  create(request: ParsedBodyOf<"createSession">, user: UserRecord): Promise<Session>;
  update(id: string, request: ParsedBodyOf<"updateSession">): Promise<Session>;
  /** Stores the message as a user_message event, `processing` where the agent takes it at once, else `queued`. */
  post(id: string, request: ParsedBodyOf<"sendMessage">, user: UserRecord): Promise<SessionEvent>;
  cancel(id: string, request: ParsedBodyOf<"cancelSession">): Promise<Session>;
  close(id: string, request: ParsedBodyOf<"closeSession">, user: UserRecord): Promise<Session>;

  /** The stored events after a revision, then live ones, until the signal aborts. Never a gap, never one twice. */
  follow(id: string, after: number, signal: AbortSignal): AsyncIterable<StreamItem>;

  manifest(id: string, range: { after: string; until: string; cursor: string }): Promise<Manifest>;
  /** @throws Problem 409 `not_mailable` where the range has merges */
  mbox(id: string, range: { after: string; until: string }): Promise<AsyncIterable<Uint8Array>>;
  bundle(id: string, range: { after: string; until: string }): Promise<AsyncIterable<Uint8Array>>;
  /** @throws Problem 409 `not_kept` where it could not be brought out of the sandbox, 413 where it is too large */
  uncommitted(id: string): Promise<Uncommitted>;
}

/** What a follower of a session is sent; only `session_event` is stored and has a revision. */
export type StreamItem =
  | { readonly type: "session_event"; readonly event: SessionEvent }
  | { readonly type: "patch"; readonly patch: PatchNotice }
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "delta"; readonly delta: { readonly event_type: "agent_message"; readonly text: string } };

export interface PatchNotice {
  readonly sequence: number;
  readonly commit: string;
  readonly repository_id: string;
  readonly subject: string;
}
