import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../host/host.ts";
import type { Route } from "../../wire/routes.ts";
import { acceptedScopes } from "../../wire/values.ts";
import { hashSecret } from "../keys/secret.ts";
import { Problem } from "../problem.ts";
import type { KeyRecord, KeyStore, UserRecord } from "../store/store.ts";

export interface Caller {
  readonly key: KeyRecord;
  readonly user: UserRecord;
}

/**
 * Whose key the request carries, in `x-api-key` or as a bearer token (RFC 6750).
 * @throws Problem 400 where both are given, 401 where there is none or it isn't valid (any more)
 */
export async function authenticate(headers: Headers, keys: KeyStore, clock: Clock): Promise<Caller> {
  const hash = hashSecret(readKey(headers));
  const key = await keys.findByHash(hash);
  if (key === undefined || !timingSafeEqual(Buffer.from(key.hash), Buffer.from(hash))) throw refused("is not valid");
  if (key.revoked_at !== null) throw refused("was revoked");
  if (key.expires_at !== null && Date.parse(key.expires_at) <= clock.now()) throw refused("has expired");
  const user = await keys.findUser(key.user_id);
  if (user === undefined) throw refused("belongs to no user");
  return { key, user };
}

/**
 * Lets a key pass that holds at least one of the route's scopes.
 * @throws Problem 403 that names them
 */
export function authorize({ resource, access }: Route, { scopes }: KeyRecord): void {
  if (resource === null) return;
  const accepted = acceptedScopes(resource, access);
  if (accepted.some((scope) => scopes.includes(scope))) return;
  throw new Problem(403, "scope_missing", `this key lacks the scope; it needs one of ${accepted.join(", ")}`);
}

function readKey(headers: Headers): string {
  const plain = headers.get("x-api-key");
  const authorization = headers.get("authorization");
  if (plain !== null && authorization !== null)
    throw new Problem(400, "two_keys", "send the API key as x-api-key or as Authorization: Bearer, not as both");
  const key = plain ?? /^bearer +(\S+) *$/iu.exec(authorization ?? "")?.[1] ?? "";
  if (key === "") throw new Problem(401, "key_missing", "an API key is needed: send it as x-api-key or as Authorization: Bearer");
  return key;
}

function refused(why: string): Problem {
  return new Problem(401, "key_refused", `the API key ${why}`);
}
