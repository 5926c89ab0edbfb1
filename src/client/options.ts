import type { Clock, Send } from "../host/host.ts";
import type { ApiKey } from "./http/key.ts";
import type { Memory } from "./memory.ts";

export interface ClientOptions {
  readonly send: Send;
  /** The host's base address, e.g. `https://agents.example.com`; over a socket only its path counts. */
  readonly baseUrl: string;
  /** What errors call it; the host of its address where it isn't given. */
  readonly name?: string | undefined;
  readonly key: ApiKey;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly memory: Memory;
  /** Goes out as `user-agent`, e.g. `ferry/0.1.0`. */
  readonly userAgent: string;
  /** Ends every call; its reason is what they reject with. */
  readonly signal?: AbortSignal | undefined;
  /** Whether an answer that says the key back keeps it. */
  readonly showSecrets?: boolean;
  /** A line of the HTTP trace of --verbose, secrets cut. */
  readonly trace?: ((line: string) => void) | undefined;
  /** What a person should know of how the service does without; each line once. */
  readonly warn?: ((line: string) => void) | undefined;
  /** How long a call may go on trying again, in ms; 0: one try. 30 s where it isn't given. */
  readonly patience?: number | undefined;
  /** How long one answer may be silent, in ms. Where it isn't given, a minute for a read, five for a write. */
  readonly idleTimeout?: number | undefined;
}
