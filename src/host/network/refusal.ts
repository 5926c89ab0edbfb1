import { FerryError, isCertificateError, NoAnswerError } from "../../base/errors.ts";
import { noAnswer } from "./failure.ts";
import type { Proxy } from "./proxy.ts";

/** A proxy as people know it: never with what logs one in. */
export function nameOf({ url, variable }: Proxy): string {
  return `the proxy ${url.host} (${variable})`;
}

/** Nobody has answered in time; `what` says who, and within what time. */
export function silence(what: string, proxy: Proxy): NoAnswerError {
  return new NoAnswerError(`${what} (ETIMEDOUT)`, { sent: false, code: "ETIMEDOUT", hint: remedy(proxy) });
}

/** The system's word for why there is no connection, as far as the proxy. */
export function unreached(name: string, error: unknown, proxy: Proxy): FerryError {
  const { message, code = "", hint, cause } = noAnswer(error, name, false);
  // Whom to believe is another matter than where the proxy is.
  return new NoAnswerError(message, { sent: false, code, hint: isCertificateError(code) ? hint : remedy(proxy), cause });
}

/** Whether a proxy's answer to CONNECT opens the tunnel (RFC 9110, 9.3.6: any 2xx). */
export function isTunnel(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What a proxy's answer means where it opens no tunnel. Only a gateway's own trouble may pass by itself. */
export function refusal(proxy: Proxy, host: string, status: number): FerryError {
  const name = nameOf(proxy);
  const code = `PROXY_${status}`;
  const { variable } = proxy;
  if (status === 407) {
    const given = proxy.url.username !== "";
    return new FerryError(
      "unavailable",
      `${name} ${given ? "refuses its user and password" : "wants a user and a password"} (407)`,
      {
        code,
        hint: `write them into ${variable}: ${proxy.url.protocol}//USER:PASSWORD@${proxy.url.host}, special characters as %40 and the like`,
      },
    );
  }
  if (status >= 500)
    return new NoAnswerError(`${name} can't reach ${host} (${status})`, { sent: false, code, hint: remedy(proxy) });
  const what = status === 401 || status === 403 ? `doesn't allow ${host}` : `makes no connection to ${host}`;
  return new FerryError("unavailable", `${name} ${what} (${status})`, {
    code,
    hint: `ask whoever runs it, or name the host in NO_PROXY where it can be reached without`,
  });
}

function remedy({ variable }: Proxy): string {
  return `check ${variable}, and NO_PROXY for hosts that need none`;
}
