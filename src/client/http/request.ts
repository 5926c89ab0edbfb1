import { FerryError } from "../../base/errors.ts";
import type { SendRequest, SendResponse } from "../../host/host.ts";
import type { ClientOptions } from "../options.ts";
import { isRedirect, redirectTarget } from "./address.ts";
import { inDoubt, orDoubt } from "./doubt.ts";
import { keyHeader, type KeyForm, withoutSecrets } from "./key.ts";
import { problem } from "./problem.ts";
import { isPassing, persevere } from "./retry.ts";
import { requestLines, responseLines } from "./trace.ts";
import { withoutKey } from "./without-key.ts";

/** One call as the layers above see it: what is asked, without keys, redirects and further tries. */
export interface Call {
  readonly method: string;
  /** Absolute, below the base address: `/api/v1/…`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly patience?: number | undefined;
  readonly idleTimeout?: number | undefined;
}

/** An answer, perhaps that of a look at what came of a write: the path that a 303 named, without the key. */
export interface Reply extends SendResponse {
  readonly seen?: string | undefined;
}

/** Makes a call and gives its answer to `read`, whatever the status; a connection that is cut while it reads counts as one try. */
export type Request = <T>(call: Call, read: (response: Reply) => Promise<T>) => Promise<T>;

const mostRedirects = 5;
/** Commits, which are what their ids say: to change a byte of them is to break them. */
const exact: ReadonlySet<string> = new Set(["application/mbox", "application/x-git-bundle"]);
/**
 * How long an answer may be silent, in ms. What is only read is there at once, or the service hangs: 30 s are what gateways give it, too.
 * To start a session it may have to fetch a large repository.
 */
const readSilence = 30_000;
const writeSilence = 300_000;

/**
 * The request layer: the key in the form that the host takes, and cut from what it answers; redirects within the origin, further tries.
 * @throws from a call: FerryError by what went wrong; the signal's reason where it aborted
 */
export function makeRequest(options: ClientOptions, baseUrl: string): Request {
  const send = traced(options);
  return async (call, read) => {
    const signal = anyOf(options.signal, call.signal);
    const patience = { ...options, limit: call.patience ?? options.patience ?? 30_000, signal };
    const asItCame = options.showSecrets === true || exact.has(call.headers["accept"] ?? "");
    const ask = async <T>(request: SendRequest, take: (answer: Arrived) => Promise<T>): Promise<T> => {
      const repeatable = isRead(request);
      return persevere(patience, repeatable, async () => {
        signal?.throwIfAborted();
        const answer = await withKey(options, (key) =>
          follow(send, { ...request, headers: { ...request.headers, ...key } }, options.key.value),
        );
        const response = asItCame ? answer : withoutKey(answer, options.key.value);
        const again = patience.limit > 0 && isPassing(response.status, repeatable);
        if (again) throw await problem(response, { ...request, baseUrl, key: options.key, clock: options.clock });
        return take({ ...response, see: answer.see });
      });
    };
    const silence = (method: string): number => (isRead({ method }) ? readSilence : writeSilence);
    const request: SendRequest = {
      ...call,
      url: `${baseUrl}${call.path}`,
      headers: { "user-agent": options.userAgent, ...call.headers },
      signal,
      idleTimeout: call.idleTimeout ?? options.idleTimeout ?? silence(call.method),
    };
    if (isRead(request)) return ask(request, read);
    const done = await ask(request, async (answer) => {
      if (answer.see !== undefined) return { see: answer.see };
      return { value: await (answer.status < 400 ? orDoubt(read(answer), signal) : read(answer)) };
    });
    if ("value" in done) return done.value;
    const idleTimeout = call.idleTimeout ?? options.idleTimeout ?? silence("GET");
    const seen = withoutSecrets(new URL(done.see).pathname, [options.key.value]);
    const look = { ...request, url: done.see, method: "GET", body: undefined, idleTimeout };
    return orDoubt(
      ask(look, (answer) => read({ ...answer, seen })),
      signal,
    );
  };
}

/** Whether a call changes nothing, and can be made again (RFC 9110, 9.2.1). */
export function isRead({ method }: Pick<SendRequest, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * The key as `x-api-key`; where a host's form isn't known and it says 401, once as a bearer token. What worked is remembered,
 * and forgotten when it no longer does.
 */
async function withKey(options: ClientOptions, exchange: (header: Record<string, string>) => Promise<Arrived>): Promise<Arrived> {
  const { key, memory } = options;
  const known = await memory.get("key-form");
  const form: KeyForm = known === "authorization" ? known : "x-api-key";
  const response = await exchange(keyHeader(key, form));
  if (response.status !== 401) {
    if (response.status < 300 && known !== form) await memory.set("key-form", form);
    return response;
  }
  if (known === form) {
    await memory.set("key-form", undefined);
    return response;
  }
  await response.cancel();
  const second = await exchange(keyHeader(key, "authorization"));
  if (second.status < 300) await memory.set("key-form", "authorization");
  return second;
}

/** An answer; that of a write may say where what came of it is to be seen. */
interface Arrived extends SendResponse {
  readonly see?: string | undefined;
}

/**
 * Follows redirects as RFC 9110, 15.4, has them: a write is only repeated by 307 and 308. Who sends it elsewhere in another way, or where
 * it can't go, may have done it before. By 303 it is done: what follows is another request, and the only one that may be made again.
 */
async function follow(send: ClientOptions["send"], request: SendRequest, key: string): Promise<Arrived> {
  const isWrite = !isRead(request);
  let url = request.url;
  let status: number | undefined;
  const visited = new Set<string>();
  const target = async (response: SendResponse): Promise<string> => {
    await response.cancel();
    const there = redirectTarget(url, response, key);
    if (!isWrite || response.status === 303 || response.status >= 307) return there;
    const what = `${new URL(there).host} redirects a ${request.method} to ${withoutSecrets(there, [key])}`;
    throw new FerryError("failure", what, { status, hint: "use that address" });
  };
  // What sends a write back to where it was may have taken it each time.
  for (let count = 0; count <= mostRedirects && !visited.has(url); count++) {
    visited.add(url);
    const response = await send({ ...request, url });
    ({ status } = response);
    if (!isRedirect(response)) return response;
    url = await (isWrite ? orDoubt(target(response), request.signal) : target(response));
    if (isWrite && status === 303) return { ...response, see: url };
  }
  const circle = new FerryError("failure", `${new URL(url).host} redirects in a circle`, { status });
  throw isWrite ? inDoubt(circle) : circle;
}

function traced({ send, trace, clock }: ClientOptions): ClientOptions["send"] {
  if (trace === undefined) return send;
  return async (request) => {
    requestLines(request).forEach(trace);
    const start = clock.elapsed();
    try {
      const response = await send(request);
      responseLines(response, clock.elapsed() - start, request).forEach(trace);
      return response;
    } catch (error) {
      trace(`< no answer: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  };
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
