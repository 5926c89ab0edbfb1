import type { Clock, Send, SendResponse } from "../host/host.ts";
import type { BodyOf, ParamsOf, QueryOf } from "../wire/contract.ts";
import { routePath, routes, type RouteName } from "../wire/routes.ts";
import { checkAnswer, type Answer } from "./answers.ts";
import { checkBaseUrl } from "./http/address.ts";
import { parseJson, readBody } from "./http/body.ts";
import { keyHeader, type ApiKey } from "./http/key.ts";
import { problem } from "./http/problem.ts";
import { makeRequest, type Call } from "./http/request.ts";
import type { Memory } from "./memory.ts";

export interface ClientOptions {
  readonly send: Send;
  /** The host's base address, e.g. `https://agents.example.com`; over a socket only its path counts. */
  readonly baseUrl: string;
  readonly key: ApiKey;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly memory: Memory;
  /** Goes out as `user-agent`, e.g. `ferry/0.1.0`. */
  readonly userAgent: string;
  /** Ends every call; its reason is what they reject with. */
  readonly signal?: AbortSignal | undefined;
  /** A line of the HTTP trace of --verbose, secrets cut. */
  readonly trace?: ((line: string) => void) | undefined;
  /** How long a call may go on trying again, in ms; 0: one try. 60 s where it isn't given. */
  readonly patience?: number | undefined;
  /** How long one answer may be silent, in ms. 30 s where it isn't given. */
  readonly idleTimeout?: number | undefined;
}

/**
 * The client of one host, derived from the routes: an operation that isn't there doesn't compile.
 * @throws FerryError usage for an address that the key must not go to, auth for a key that can be none; from the calls, FerryErrors by
 *   what went wrong (`usage` 400/422, `auth` 401/403, `not_found` 404, `unavailable` no answer, 429, 5xx, `failure` the rest)
 */
export function makeClient(options: ClientOptions): Client {
  const baseUrl = checkBaseUrl(options.baseUrl);
  keyHeader(options.key, "x-api-key");
  const request = makeRequest(options, baseUrl);

  const refuse = async (response: SendResponse, { method, path }: Call): Promise<SendResponse> => {
    if (response.status < 400) return response;
    throw await problem(response, { method, url: `${baseUrl}${path}`, key: options.key });
  };
  const call = async (route: RouteName, input: AnyInput): Promise<unknown> => {
    const wanted = toCall(route, input, { accept: "application/json" });
    return request(wanted, async (response) => {
      const body = await readBody(await refuse(response, wanted));
      return checkAnswer(route, parseJson(body, response, new URL(baseUrl).host));
    });
  };
  const names = Object.keys(routes) as RouteName[];
  const calls = Object.fromEntries(names.map((name) => [name, (input: AnyInput = {}) => call(name, input)])) as unknown as Calls;
  return {
    ...calls,
    baseUrl,
    raw: (method, path, given = {}) =>
      request({ ...given, method, path, headers: given.headers ?? {} }, async (response) => response),
    stream: async (route, input) => {
      const wanted = toCall(route, input, { accept: input.accept, ...input.headers });
      return request(wanted, (response) => refuse(response, wanted));
    },
  };
}

/** Every operation of the interface as a call, and what doesn't fit one. */
export interface Client extends Calls {
  /** The base address, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Any call under the base address with the stored key, as `ferry api` makes it. An answer of any status is an answer; its body
   * must be read or cancelled. `path` is absolute (`/api/v1/…`).
   */
  raw(method: string, path: string, options?: RawOptions): Promise<SendResponse>;
  /** An operation that answers in another medium than JSON (SSE, mbox, bundle); a status of 400 or more is an error. */
  stream<R extends RouteName>(route: R, input: StreamInput<R>): Promise<SendResponse>;
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

/** An input as the implementation sees it, of whatever route. */
interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idleTimeout?: number;
}

function toCall(route: RouteName, input: AnyInput, headers: Readonly<Record<string, string>>): Call {
  const { params, query, body, signal, patience, idleTimeout } = input;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const path = routePath(route, params, query);
  return { method: routes[route].method, path, headers: { ...headers, ...type }, ...sent, signal, patience, idleTimeout };
}
