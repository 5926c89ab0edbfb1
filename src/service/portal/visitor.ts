import { createHmac, timingSafeEqual } from "node:crypto";
import { hashSecret, mintSecret } from "../keys/secret.ts";
import type { GrantDeps } from "../oauth/grant.ts";
import type { SiteNames } from "../reach/names.ts";
import type { UserRecord } from "../store/store.ts";

/**
 * A browser that is signed in. Its cookie alone is worth nothing: browsers give a host's cookies to each of its ports (RFC 6265,
 * 8.5), so to any program that serves a page on this machine. Each sign-in has its pages below a path that nobody can guess, which no
 * cookie holds: the browser sends the cookie only there, whatever the port, and a request must bring both. What remains: whoever reads
 * the address bar or the history, such as an extension of the browser, and has the cookie, too. So an address without that path asks
 * to sign in, also where the browser did so before.
 */
export interface Visitor {
  readonly user: UserRecord;
  /** What the addresses of this sign-in's pages begin with, without a slash at the end. */
  readonly base: string;
  /** Goes into each form: only a page of this very sign-in knows it. */
  readonly csrf: string;
  /** The hash that the sign-in is stored under. */
  readonly hash: string;
}

/** How long a browser stays signed in, in ms. */
const lifetime = 12 * 3_600_000;

/** Who sends the request, by its cookie; undefined for nobody. */
export async function findVisitor(request: Request, { store, clock, names }: SignInDeps): Promise<Visitor | undefined> {
  const base = baseOf(request);
  const secret = cookieOf(request, isSecure(names()));
  if (base === "" || secret === undefined) return undefined;
  const hash = hashOf(base, secret);
  const signIn = await store.logins.findSignIn(hash);
  if (signIn === undefined || Date.parse(signIn.expires_at) <= clock.now()) return undefined;
  const user = await store.keys.findUser(signIn.user_id);
  return user && { user, base, hash, csrf: createHmac("sha256", base).update(secret).digest("base64url") };
}

/** Signs a browser in. Gives where its pages are, and the cookie. */
export async function signIn(
  request: Request,
  userId: string,
  { store, clock, random, names }: SignInDeps,
): Promise<{ base: string; cookie: string }> {
  const [base, secret] = [`/s/${mintSecret(random)}`, mintSecret(random)];
  const expires_at = new Date(clock.now() + lifetime).toISOString();
  await store.logins.forget(new Date(clock.now() - 86_400_000).toISOString());
  await store.logins.insertSignIn({ hash: hashOf(base, secret), user_id: userId, expires_at });
  return { base, cookie: cookieFor(request, base, { value: secret, age: lifetime / 1000, secure: isSecure(names()) }) };
}

/** The cookie that makes a browser forget the one it has. */
export function endedCookie(request: Request, { base }: Visitor, { names }: SignInDeps): string {
  return cookieFor(request, base, { value: "", age: 0, secure: isSecure(names()) });
}

/** What the address begins with where it is one of a sign-in's pages; else "". */
export function baseOf(request: Request): string {
  return /^\/s\/[\w-]{43}(?=\/|$)/u.exec(new URL(request.url).pathname)?.[0] ?? "";
}

export function isCsrf(visitor: Visitor, given: string | undefined): boolean {
  const [right, other] = [Buffer.from(visitor.csrf), Buffer.from(given ?? "")];
  return right.length === other.length && timingSafeEqual(right, other);
}

interface SignInDeps extends GrantDeps {
  readonly names: () => SiteNames;
}

function isSecure({ url }: SiteNames): boolean {
  return url.startsWith("https:");
}

/**
 * Browsers give a host's cookies to each of its ports: the name keeps two services apart. With TLS no page without it can set one of that
 * name (RFC 6265bis, 4.1.3.1); not `__Host-`, which would be sent to all paths.
 */
function cookieName(request: Request, secure: boolean): string {
  return `${secure ? "__Secure-" : ""}ferry_${/:(\d+)$/u.exec(request.headers.get("host") ?? "")?.[1] ?? (secure ? "443" : "80")}`;
}

function cookieFor(
  request: Request,
  base: string,
  { value, age, secure }: { readonly value: string; readonly age: number; readonly secure: boolean },
): string {
  const attributes = `Path=${base}; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
  return `${cookieName(request, secure)}=${value}; ${attributes}`;
}

function hashOf(base: string, secret: string): string {
  return hashSecret(`${base} ${secret}`);
}

function cookieOf(request: Request, secure: boolean): string | undefined {
  const name = cookieName(request, secure);
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}
