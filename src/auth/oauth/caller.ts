import { allowInsecureRequests, customFetch } from "oauth4webapi";
import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import { isRedirect } from "../../client/http/address.ts";
import { readBody } from "../../client/http/body.ts";
import { withoutKey } from "../../client/http/without-key.ts";
import { loginResponseLines, requestLines } from "../../client/http/trace.ts";
import type { Clock, Send, SendRequest } from "../../host/host.ts";
import { refuseMisdirected } from "../misdirected.ts";
import { elsewhere } from "./elsewhere.ts";

/** How the calls of a login go out: by the same network as all others, so by the same proxy and certificates. */
export interface Caller {
  readonly send: Send;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Takes the lines of --verbose: addresses and headers with secrets cut, never a body. */
  readonly trace?: ((line: string) => void) | undefined;
}

const idleTimeout = 30_000;
/** Bytes of an answer at most. */
const limit = 256 * 1024;

/** The options that make oauth4webapi call our way. http is let through here, since parseAddress lets it through for loopback alone. */
export function callOptions(caller: Caller, address: string) {
  return {
    [customFetch]: (url: string, init: Init) => call(caller, url, init),
    [allowInsecureRequests]: isLoopback(new URL(address).hostname),
  };
}

interface Init {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | undefined;
}

async function call({ send, clock, userAgent, signal, trace }: Caller, url: string, init: Init): Promise<Response> {
  const { method, headers, body } = init;
  const request: SendRequest = {
    method,
    url,
    headers: { ...headers, "user-agent": userAgent, ...(body && { "content-type": "application/x-www-form-urlencoded" }) },
    body: body?.toString(),
    signal,
    idleTimeout,
  };
  requestLines(request).forEach((line) => trace?.(line));
  const start = clock.elapsed();
  // What people may read of it must not repeat the code, the verifier or the key that it was sent.
  const response = secretsOf(body).reduce(withoutKey, await send(request));
  loginResponseLines(response, clock.elapsed() - start, request).forEach((line) => trace?.(line));
  await refuseMisdirected(response, { method, url, clock });
  if (isRedirect(response)) throw await moved(url, response);
  const bytes = await readBody(response, clock, { limit, what: `the answer of ${new URL(url).host}` });
  const bodiless = response.status === 204 || response.status === 304;
  return new Response(bodiless ? null : new Uint8Array(bytes), { status: response.status, headers: { ...response.headers } });
}

function secretsOf(body: URLSearchParams | undefined): string[] {
  return ["code", "code_verifier", "device_code", "token"].flatMap((name) => body?.get(name) ?? []);
}

const metadataPath = "/.well-known/oauth-authorization-server";

/** A redirect is never followed: what these calls carry is meant for one place. */
async function moved(url: string, response: Awaited<ReturnType<Send>>): Promise<FerryError> {
  await response.cancel();
  const target = response.headers["location"] ?? "";
  const { host, origin } = new URL(url);
  const { origin: there = "", pathname: path = "" } = URL.canParse(target, url) ? new URL(target, url) : {};
  // There is where the login was called: to say "log in there" would send the user round in a circle.
  if (there === origin)
    return new FerryError("failure", `${host} redirects the login within itself`, {
      status: response.status,
      hint: "ask whoever runs the service",
    });
  // Of the metadata's address alone it can be told whose it is (RFC 8414, 3.1); all else may be a page to sign in.
  const isMetadata = path.startsWith(metadataPath);
  const address = isMetadata ? there + path.slice(metadataPath.length).replace(/\/$/u, "") : there;
  return elsewhere(`${host} redirects the login to`, address, { status: response.status, isPage: !isMetadata });
}
