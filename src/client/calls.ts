import type { SendResponse } from "../host/host.ts";
import type { BodyOf, ParamsOf, QueryOf } from "../wire/contract.ts";
import type { RouteName } from "../wire/routes.ts";
import type { Answer } from "./answers.ts";
import type { Reply } from "./http/request.ts";

/** Every operation of the interface as a call, and what doesn't fit one. */
export interface Client extends Calls {
  /** The base address, without a slash at its end. */
  readonly baseUrl: string;
  /** The parts of our extension that the service has (the words of wire/values.ts); none for a service of the seed alone. */
  capabilities(): Promise<ReadonlySet<string>>;
  /**
   * Any call under the base address with the stored key, as `ferry api` makes it. An answer of any status is an answer; its body
   * must be read or cancelled. `path` is absolute (`/api/v1/…`).
   */
  raw(method: string, path: string, options?: RawOptions): Promise<Reply>;
  /**
   * An operation in another medium than JSON (SSE, mbox, bundle), or whose headers matter, too: its answer is given to `read`, and a
   * connection that is cut within that is tried again. A status of 400 or more is an error.
   */
  stream<R extends RouteName, T>(route: R, input: StreamInput<R>, read: (response: SendResponse) => Promise<T>): Promise<T>;
}

export type Calls = {
  readonly [R in RouteName]: (...input: object extends Input<R> ? [input?: Input<R>] : [input: Input<R>]) => Promise<Answer<R>>;
};

/** What a call takes: the parameters of its path, its query, its body, each only where the route has it. */
export type Input<R extends RouteName> = Part<"params", ParamsOf<R>> &
  Part<"query", QueryOf<R>> &
  Part<"body", BodyOf<R>> &
  CallOptions;

export type StreamInput<R extends RouteName> = Input<R> & {
  /** The media type asked for. */
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the stream may be silent, in ms. */
  readonly idleTimeout?: number;
};

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** As in ClientOptions, for this call. */
  readonly patience?: number | undefined;
}

export interface RawOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** Left out where there is nothing to give, optional where all of it is. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : [keyof T] extends [never]
    ? unknown
    : object extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T };
