import {
  type AuthorizationServer,
  discoveryRequest,
  JSON_ATTRIBUTE_COMPARISON,
  OperationProcessingError,
  processDiscoveryResponse,
} from "oauth4webapi";
import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import { oneLine, textOf } from "../../base/text.ts";
import { isHtml } from "../../client/http/body.ts";
import { callOptions, type Caller } from "./caller.ts";
import { elsewhere } from "./elsewhere.ts";
import { loginError } from "./failure.ts";

/** A host's login endpoints (RFC 8414), each on the host's own origin. */
export interface LoginServer {
  readonly address: string;
  readonly metadata: AuthorizationServer;
}

/** What a service without login endpoints answers there: nothing of that name, or what its gateway says to strangers. */
const absent: readonly number[] = [401, 403, 404, 405, 410, 501];

/**
 * The login endpoints of the host at `address`; undefined where it has none.
 * @throws FerryError failure where its metadata names another issuer or sends us elsewhere, unavailable where there is no answer
 */
export async function findLoginServer(address: string, caller: Caller): Promise<LoginServer | undefined> {
  const issuer = new URL(address);
  try {
    const response = await discoveryRequest(issuer, { algorithm: "oauth2", ...callOptions(caller, address) });
    if (absent.includes(response.status) || isPage(response)) return undefined;
    const metadata = withoutNulls(await processDiscoveryResponse(issuer, response).catch(refuseOther(issuer)));
    checkEndpoints(metadata, address);
    return { address, metadata };
  } catch (error) {
    throw loginError(error, issuer.host);
  }
}

/** A service that is at another address than it was asked at says that it is another issuer (RFC 8414, 3.3). */
function refuseOther({ host }: URL): (error: unknown) => never {
  return (error) => {
    // What the metadata calls its issuer is made an address before it is looked at.
    if (error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_URL")
      throw elsewhere(`${host} says that its login is`, "");
    if (!(error instanceof OperationProcessingError) || error.code !== JSON_ATTRIBUTE_COMPARISON) throw error;
    const { body } = error.cause as { readonly body: { readonly issuer?: unknown } };
    throw elsewhere(`${host} says that its login is`, textOf(body.issuer));
  };
}

/** An application's own page, shown for every address that the service doesn't know. */
function isPage(response: Response): boolean {
  return response.ok && isHtml(response.headers.get("content-type"));
}

/** What a service doesn't have, some write as null. */
function withoutNulls(metadata: AuthorizationServer): AuthorizationServer {
  const fields = Object.entries(metadata).filter(([, value]: [string, unknown]) => value !== null);
  return { ...Object.fromEntries(fields), issuer: metadata.issuer };
}

const names = ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint"] as const;

/** Codes and keys go to these, and one is opened in a browser: a file, a script or another host must never be among them. */
function checkEndpoints(metadata: AuthorizationServer, address: string): void {
  for (const name of names) {
    const endpoint: unknown = metadata[name];
    if (endpoint === undefined) continue;
    if (typeof endpoint !== "string")
      throw new FerryError("failure", `${new URL(address).host} names no address as its ${name}`, {
        hint: "tell whoever runs the service, or use --with-token",
      });
    checkAddress(endpoint, address, name);
  }
}

/** @throws FerryError failure where no key can come of a login: better said before somebody approves it */
export function requireTokens({ address, metadata }: LoginServer): void {
  if (metadata.token_endpoint !== undefined) return;
  throw new FerryError("failure", `${new URL(address).host} names no address that gives keys (token_endpoint)`, {
    hint: "tell whoever runs the service, or use --with-token",
  });
}

/**
 * Lets an address of the host's own origin pass.
 * @throws FerryError failure for any other, naming what it was for
 */
export function checkAddress(text: string, address: string, what: string): URL {
  const home = new URL(address);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url !== undefined && secure && url.origin === home.origin && url.username === "" && url.password === "") return url;
  throw new FerryError(
    "failure",
    `${home.host} names an address of somebody else as its ${what}: ${oneLine(text).slice(0, 200)}`,
    {
      hint: "nothing was sent or opened; tell whoever runs the service, or use --with-token",
    },
  );
}
