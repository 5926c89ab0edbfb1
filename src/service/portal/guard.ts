import { Problem } from "../problem.ts";
import type { SiteNames } from "../reach/names.ts";
import { isCsrf, type Visitor } from "./visitor.ts";

/**
 * The origin that the request is for. A name that isn't ours means that a page of somebody else's had it resolve to this
 * machine (DNS rebinding), or a port that was forwarded under another number.
 * @throws Problem 421 (RFC 9110, 15.5.20)
 */
export function checkHost(request: Request, names: SiteNames): string {
  const origin = names.originOf(request.headers.get("host") ?? "");
  if (origin !== undefined) return origin;
  throw new Problem(421, "wrong_host", `this service is at ${names.url}, and goes by no other name`);
}

/**
 * Refuses what a page of another origin sends. Programs send no Origin; browsers do with every form.
 * @throws Problem 403
 */
export function checkOrigin(request: Request, origin: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const given = request.headers.get("origin");
  if (given !== null && given !== origin)
    throw new Problem(403, "wrong_origin", "the request comes from a page of somebody else");
}

/**
 * Refuses what a page of another origin loads as a part of itself, such as a picture (Fetch Metadata); a link that somebody follows is
 * a document. Another port of this machine is another origin of the same site.
 * @throws Problem 403
 */
export function checkUse({ headers }: Request): void {
  const [site, use] = [headers.get("sec-fetch-site") ?? "none", headers.get("sec-fetch-dest") ?? "document"];
  if (site === "none" || site === "same-origin" || use === "document") return;
  throw new Problem(403, "wrong_origin", "the request comes from a page of somebody else");
}

/**
 * Lets a form pass that a page of this very sign-in sent.
 * @throws Problem 403
 */
export function checkForm(request: Request, visitor: Visitor, csrf: string | undefined): void {
  if (request.headers.get("origin") !== null && isCsrf(visitor, csrf)) return;
  throw new Problem(403, "stale_form", "this form is no longer valid: go back, reload the page and try again");
}
