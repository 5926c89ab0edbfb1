import { FerryError } from "../base/errors.ts";
import type { SendResponse } from "../host/host.ts";
import { routePath, routes, type RouteName } from "../wire/routes.ts";
import { checkAnswer, isObject } from "./answers.ts";
import type { CallOptions, Calls, Client } from "./calls.ts";
import { readCapabilities } from "./capabilities.ts";
import { cursorOf } from "./cursor.ts";
import { checkBaseUrl } from "./http/address.ts";
import { parseJson, readBody } from "./http/body.ts";
import { unexpected } from "./http/json.ts";
import { keyHeader } from "./http/key.ts";
import { problem } from "./http/problem.ts";
import { makeRequest, type Call, type Reply } from "./http/request.ts";
import type { ClientOptions } from "./options.ts";
import { withheldPage } from "./withheld.ts";

export type { Client } from "./calls.ts";

/**
 * The client of one host, derived from the routes: an operation that isn't there doesn't compile.
 * @throws FerryError usage for an address that the key must not go to, auth for a key that can be none; from the calls, FerryErrors by
 *   what went wrong (`usage` 400/422, `auth` 401/403, `not_found` 404, `unavailable` no answer, 429, 5xx, `failure` the rest)
 */
export function makeClient(options: ClientOptions): Client {
  const baseUrl = checkBaseUrl(options.baseUrl);
  keyHeader(options.key, "x-api-key");
  const service = options.name ?? new URL(baseUrl).host;
  const request = makeRequest(options, baseUrl);
  const told = new Set<string>();
  const warn = (line: string): void => {
    if (!told.has(line)) options.warn?.(line);
    told.add(line);
  };

  const refuse = async (route: RouteName, response: Reply, call: Call): Promise<SendResponse> => {
    // Redirects were followed, and that nothing has changed (304) says something only to who asked for changes.
    if (response.status < 300 || (response.status === 304 && "if-none-match" in call.headers)) return response;
    const { seen } = response;
    const method = seen === undefined ? call.method : "GET";
    if (response.status < 400) {
      await response.cancel();
      const path = seen ?? call.path.replace(/\?.*/su, "");
      const what = `${service} answered ${method} ${path} with ${response.status}`;
      throw new FerryError("unavailable", `${what}, which says nothing`, { status: response.status, code: unexpected });
    }
    if (response.status === 404 && seen === undefined && "extension" in routes[route])
      await options.memory.set("capabilities", undefined);
    const url = seen === undefined ? `${baseUrl}${call.path}` : `${new URL(baseUrl).origin}${seen}`;
    throw await problem(response, { method, url, baseUrl, service: options.name, key: options.key, clock: options.clock });
  };
  const call = async (route: RouteName, input: AnyInput): Promise<unknown> => {
    const wanted = toCall(route, input, { accept: "application/json" });
    try {
      return await request(wanted, async (response) => {
        const body = await readBody(await refuse(route, response, wanted), options.clock);
        const answer = withPlainCursor(parseJson(body, response, service), body);
        return checkAnswer(route, answer, wanted.path);
      });
    } catch (error) {
      if (!isCursorRefused(error, route, input)) throw error;
      return withheldPage({ error, service, path: routePath(route, input.params), warn });
    }
  };
  const names = Object.keys(routes) as RouteName[];
  const calls = Object.fromEntries(names.map((name) => [name, (input: AnyInput = {}) => call(name, input)])) as unknown as Calls;
  return {
    ...calls,
    baseUrl,
    capabilities: () => readCapabilities(calls.readCli, options),
    raw: (method, path, given = {}) => {
      // Whatever it is that is read, it may have to be made first.
      const idleTimeout = method === "GET" || method === "HEAD" ? makingSilence : undefined;
      return request({ ...given, method, path, headers: given.headers ?? {}, idleTimeout }, async (response) => response);
    },
    stream: async (route, input, read) => {
      const wanted = toCall(route, input, { accept: input.accept, ...input.headers });
      return request(wanted, async (response) => read(await refuse(route, response, wanted)));
    },
  };
}

/** An input as the implementation sees it, of whatever route. */
interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly idleTimeout?: number;
}

/** A page after the first of one of the seed's lists: our extension says what its next ones are asked for by. */
function isCursorRefused(error: unknown, route: RouteName, { query }: AnyInput): error is FerryError {
  const isRefused = error instanceof FerryError && (error.status === 400 || error.status === 422) && error.doubt === undefined;
  return isRefused && query?.["cursor"] !== undefined && !("extension" in routes[route]);
}

/** The layers above have no text to take the digits of a large number from. */
function withPlainCursor(answer: unknown, body: Uint8Array): unknown {
  if (!isObject(answer) || typeof answer["next_cursor"] !== "number") return answer;
  return { ...answer, next_cursor: cursorOf(answer, () => new TextDecoder().decode(body)) };
}

/** What a service has to make when it is asked for it, out of a sandbox that may be large or asleep. */
const made: ReadonlySet<RouteName> = new Set<RouteName>(["readPatches", "readUncommitted"]);

/** How long such an answer may be silent, in ms. */
const makingSilence = 60_000;

function toCall(route: RouteName, input: AnyInput, headers: Readonly<Record<string, string>>): Call {
  const { params, query, body, signal, patience, idleTimeout = made.has(route) ? makingSilence : undefined } = input;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const path = routePath(route, params, query);
  return { method: routes[route].method, path, headers: { ...headers, ...type }, ...sent, signal, patience, idleTimeout };
}
