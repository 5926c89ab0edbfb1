import { createHmac, timingSafeEqual } from "node:crypto";
import { hashSecret, mintSecret } from "../keys/secret.ts";
import type { GrantDeps } from "../oauth/grant.ts";
import type { UserRecord } from "../store/store.ts";

/** A browser that is signed in. */
export interface Visitor {
  readonly user: UserRecord;
  /** Goes into each form: only a page of this very sign-in knows it. */
  readonly csrf: string;
  /** The hash that the sign-in is stored under. */
  readonly hash: string;
}

/** How long a browser stays signed in, in ms. */
const lifetime = 12 * 3_600_000;

/** Who sends the request, by its cookie; undefined for nobody. */
export async function findVisitor(request: Request, { store, clock }: GrantDeps): Promise<Visitor | undefined> {
  const secret = cookieOf(request);
  if (secret === undefined) return undefined;
  const hash = hashSecret(secret);
  const signIn = await store.logins.findSignIn(hash);
  if (signIn === undefined || Date.parse(signIn.expires_at) <= clock.now()) return undefined;
  const user = await store.keys.findUser(signIn.user_id);
  return user && { user, hash, csrf: createHmac("sha256", secret).update("csrf").digest("base64url") };
}

/** Signs a browser in. Gives the cookie. */
export async function signIn(request: Request, userId: string, { store, clock, random }: GrantDeps): Promise<string> {
  const secret = mintSecret(random);
  const expires_at = new Date(clock.now() + lifetime).toISOString();
  await store.logins.forget(new Date(clock.now() - 86_400_000).toISOString());
  await store.logins.insertSignIn({ hash: hashSecret(secret), user_id: userId, expires_at });
  return `${cookieName(request)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifetime / 1000}`;
}

export function isCsrf(visitor: Visitor, given: string | undefined): boolean {
  const [right, other] = [Buffer.from(visitor.csrf), Buffer.from(given ?? "")];
  return right.length === other.length && timingSafeEqual(right, other);
}

/** Browsers give a host's cookies to each of its ports: the name keeps two services apart. */
export function cookieName(request: Request): string {
  return `ferry_${/:(\d+)$/u.exec(request.headers.get("host") ?? "")?.[1] ?? "80"}`;
}

function cookieOf(request: Request): string | undefined {
  const name = cookieName(request);
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}
