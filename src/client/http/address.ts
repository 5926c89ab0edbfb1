import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import type { SendResponse } from "../../host/host.ts";
import { withoutSecrets } from "./key.ts";

/**
 * A host's base address as calls use it: no slash at its end. For a socket any loopback address does (`http://localhost`).
 * @throws FerryError usage where the key would go out in the clear, or where it is no web address
 */
export function checkBaseUrl(address: string): string {
  if (!URL.canParse(address))
    throw new FerryError("usage", `"${address}" is no address`, { hint: "write it as https://agents.example.com" });
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    throw new FerryError("usage", "a host's address holds no user name or password");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new FerryError("usage", `http is only for this machine: ${url.origin} would get the key in the clear`, {
      hint: `use https://${url.host}`,
    });
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new FerryError("usage", `"${url.protocol}" is no protocol for a host`);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** Whether an answer sends us on to elsewhere (RFC 9110, 15.4). */
export function isRedirect({ status, headers }: SendResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers["location"] !== undefined;
}

/**
 * Where it sends us. The key goes with it, so it must be the same origin: never another host, never from https to http.
 * @throws FerryError failure for another origin
 */
export function redirectTarget(from: string, { status, headers }: SendResponse, key: string): string {
  const here = new URL(from);
  const location = headers["location"] ?? "";
  if (!URL.canParse(location, from))
    throw new FerryError("failure", `${here.host} redirects to something that is no address`, { status });
  const there = new URL(location, from);
  // Of a script, a mail or a piece of data the origin is none, and a blob's is that of some host.
  if (there.protocol !== "https:" && there.protocol !== "http:")
    throw new FerryError("failure", `${here.host} redirects somewhere that is no address; the key is not sent there`, { status });
  if (there.origin !== here.origin) {
    const origin = withoutSecrets(there.origin, [key]);
    throw new FerryError("failure", `${here.host} redirects to ${origin}; the key is not sent there`, {
      status,
      hint: wayThere(here, there, key),
    });
  }
  return there.href;
}

/** The command that logs in where a call was sent: to the base address, which is what stands before the call's own path. */
function wayThere(here: URL, there: URL, key: string): string {
  const [call = ""] = /\/api\/v1(?:\/.*)?$/u.exec(here.pathname) ?? [];
  // Where the call itself isn't asked for it is a sign-in page, as gateways show to strangers, and no service.
  const isCall = call !== "" && there.pathname.endsWith(call);
  const address = `${there.origin}${there.pathname.slice(0, -call.length)}`;
  return isCall && isPlainAddress(address) && mayGetKey(address) && withoutSecrets(address, [key]) === address
    ? `if that is the service's new address, sign in there: ferry login --host ${shellWord(address)}`
    : "check the host's address, and ask whoever runs the service";
}

/** What a command names must be an address and nothing else: a shell reads more into what a URL may hold. */
export function isPlainAddress(address: string): boolean {
  return /^https?:\/\/[a-z0-9.:[\]-]+(?:\/[\w./-]*)?$/u.test(address) && address.length <= 300;
}

/** As `parseAddress` has it: no login is made in the clear. */
export function mayGetKey(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname);
}
