import { oneLine } from "../../base/text.ts";
import { withoutSecrets } from "./key.ts";
import type { SendRequest, SendResponse } from "../../host/host.ts";

const secretHeader = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie|.*(token|secret|password).*)$/i;
const plainHeader = /^(cache-control|connection|content-(encoding|length|type)|date|retry-after|transfer-encoding)$/i;
const secretParameter = /key|token|secret|password|code|signature/i;

/** What goes out, for --verbose: the request line and the headers, secrets cut. Bodies are never shown. */
export function requestLines(request: SendRequest): string[] {
  const { method, url, headers, body } = request;
  const size =
    body === undefined ? "" : ` (${typeof body === "string" ? new TextEncoder().encode(body).length : body.length} bytes)`;
  // A redirect may have put the key into the address.
  return [`> ${method} ${withoutSecrets(withoutParameters(url), keysOf(request))}${size}`, ...headerLines(">", headers)];
}

/** What came back, and after how many ms; also where a service sends back what it was sent, no key of ours is in it. */
export function responseLines({ status, headers }: SendResponse, elapsed: number, request: SendRequest): string[] {
  const lines = headerLines("<", headers).map((line) => withoutSecrets(line, keysOf(request)));
  return [`< ${status} (${Math.round(elapsed)} ms)`, ...lines];
}

/**
 * The same for the calls of a login, whose secrets are in the bodies and not known yet when the headers come: of these only the ones
 * that say how the call went.
 */
export function loginResponseLines(response: SendResponse, elapsed: number, request: SendRequest): string[] {
  const told = Object.entries(response.headers).filter(([name]) => plainHeader.test(name));
  return responseLines({ ...response, headers: Object.fromEntries(told) }, elapsed, request);
}

/** What of the request is a key, alone and behind the name of its scheme. */
function keysOf({ headers }: SendRequest): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    secretHeader.test(name) ? [value, value.replace(/^\w+ +/u, "")].filter(Boolean) : [],
  );
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${oneLine(withoutSecret(name, value))}`);
}

/** A header's value, or a stand-in where its name says that it is a secret: a key, a cookie, a token. In an address only those are cut. */
export function withoutSecret(name: string, value: string): string {
  if (/^(content-)?location$/iu.test(name) && URL.canParse(value)) return withoutParameters(value);
  return secretHeader.test(name) ? "<redacted>" : value;
}

function withoutParameters(address: string): string {
  const url = new URL(address);
  for (const name of new Set(url.searchParams.keys())) if (secretParameter.test(name)) url.searchParams.set(name, "<redacted>");
  return url.href;
}
