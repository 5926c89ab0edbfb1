import { oneLine } from "../../base/text.ts";
import type { SendRequest, SendResponse } from "../../host/host.ts";

const secretHeader = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie|.*(token|secret|password).*)$/i;
const secretParameter = /key|token|secret|password|code|signature/i;

/** What goes out, for --verbose: the request line and the headers, secrets cut. Bodies are never shown. */
export function requestLines({ method, url, headers, body }: SendRequest): string[] {
  const size =
    body === undefined ? "" : ` (${typeof body === "string" ? new TextEncoder().encode(body).length : body.length} bytes)`;
  return [`> ${method} ${withoutSecrets(url)}${size}`, ...headerLines(">", headers)];
}

/** What came back, and after how many ms; also where a service sends back what it was sent, no key of ours is in it. */
export function responseLines({ status, headers }: SendResponse, elapsed: number, request: SendRequest): string[] {
  const keys = Object.entries(request.headers).flatMap(([name, value]) =>
    secretHeader.test(name) ? [value, value.replace(/^\w+ +/u, "")].filter(Boolean) : [],
  );
  const lines = headerLines("<", headers).map((line) => keys.reduce((text, key) => text.replaceAll(key, "<redacted>"), line));
  return [`< ${status} (${Math.round(elapsed)} ms)`, ...lines];
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${oneLine(withoutSecret(name, value))}`);
}

/** A header's value, or a stand-in where its name says that it is a secret: a key, a cookie, a token. In an address only those are cut. */
export function withoutSecret(name: string, value: string): string {
  if (/^(content-)?location$/iu.test(name) && URL.canParse(value)) return withoutSecrets(value);
  return secretHeader.test(name) ? "<redacted>" : value;
}

function withoutSecrets(address: string): string {
  const url = new URL(address);
  for (const name of new Set(url.searchParams.keys())) if (secretParameter.test(name)) url.searchParams.set(name, "<redacted>");
  return url.href;
}
