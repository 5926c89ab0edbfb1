import { callbackPath, loginClient } from "../../wire/login.ts";
import { OAuthError } from "./error.ts";

/** The one client there is: public (it can keep no secret), at home on its user's own machine. */
export function checkClient(id: string | undefined): string {
  if (id === loginClient) return id;
  throw new OAuthError("invalid_client", "client_id: is not a client of this service");
}

/**
 * Whether a code may be sent there: the callback on the loopback address, on any port (RFC 8252, 7.3 and 8.3), compared
 * character by character but for the port. Without a port nobody listens: the code is shown instead.
 */
export function isRedirectUri(uri: string): boolean {
  const [, port] = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?(\/.*)$/u.exec(uri) ?? [];
  return uri.endsWith(callbackPath) && uri === bare(uri, port) && Number(port ?? 1) <= 65_535;
}

/** Whether somebody listens there. Read from the text: a URL says nothing of the port of http itself. */
export function isListening(redirectUri: string): boolean {
  return /:\d+\//u.test(redirectUri);
}

function bare(uri: string, port: string | undefined): string {
  const address = uri.startsWith("http://[::1]") ? "[::1]" : "127.0.0.1";
  return `http://${address}${port === undefined ? "" : `:${port}`}${callbackPath}`;
}
