import { type Parameters, readForm } from "../../oauth/parameters.ts";
import { Problem } from "../../problem.ts";
import { checkForm } from "../guard.ts";
import { seeOther } from "../page.ts";
import { signInPage } from "../pages/sign-in.ts";
import type { Page, Pages, SiteDeps, Visit } from "../visit.ts";
import { baseOf, endedCookie, findVisitor, signIn, type Visitor } from "../visitor.ts";

export const signInRoutes = {
  "GET /": async ({ request }) => seeOther(`${baseOf(request)}/keys`),

  "GET /sign-in": async ({ request, origin }, { passwords }) => {
    const { searchParams } = new URL(request.url);
    const to = pathHere(searchParams.get("to"), origin);
    return signInPage({ code: searchParams.get("code") ?? "", to, passwords });
  },

  "POST /sign-in": async ({ request, origin }, deps) => {
    const form = await readSignIn(request);
    const to = pathHere(form["to"], origin);
    if (!(await deps.link.take(codeOf(form["code"] ?? ""))))
      return signInPage({ code: "", to, passwords: deps.passwords, refused: "link" });
    return enter(request, deps.userId, to, deps);
  },

  "POST /sign-out": async (visit, deps) => {
    const visitor = await findVisitor(visit.request, deps);
    if (visitor === undefined) return seeOther("/sign-in");
    checkForm(visit.request, visitor, (await readForm(visit.request))["csrf"]);
    await deps.store.logins.deleteSignIn(visitor.hash);
    return seeOther("/sign-in", endedCookie(visit.request, visitor, deps));
  },
} satisfies Pages;

/** Where others than the owner sign in. */
export const passwordRoutes = {
  "POST /sign-in/password": async ({ request, origin, peer }, deps) => {
    const { to: asked, name = "", password = "" } = await readSignIn(request);
    const to = pathHere(asked, origin);
    const { passwords } = deps;
    const user = await passwords?.check({ name, password }, peer);
    if (user !== undefined && "id" in user) return enter(request, user.id, to, deps);
    return signInPage({ code: "", to, name, passwords, refused: user ?? "password" });
  },
} satisfies Pages;

/** No token is in these forms, since nobody is signed in yet: browsers say with each which page it is from. @throws Problem 403 */
async function readSignIn(request: Request): Promise<Parameters> {
  if (request.headers.get("origin") === null) throw new Problem(403, "wrong_origin", "sign in on the page itself");
  return readForm(request);
}

async function enter(request: Request, userId: string, to: string, deps: SiteDeps): Promise<Response> {
  const { base, cookie } = await signIn(request, userId, deps);
  return seeOther(base + to, cookie);
}

/** A page for those who are signed in; others sign in first, and come back here. */
export function signedIn(page: (visit: Visit, visitor: Visitor, deps: SiteDeps) => Promise<Response>): Page {
  return async (visit, deps) => {
    const visitor = await findVisitor(visit.request, deps);
    if (visitor !== undefined) return page(visit, visitor, deps);
    const { pathname, search } = new URL(visit.request.url);
    if (visit.request.method !== "POST")
      return signInPage({ code: "", to: pathname.slice(baseOf(visit.request).length) + search, passwords: deps.passwords });
    throw new Problem(403, "signed_out", "you are no longer signed in: go back and reload the page");
  };
}

/** A path of this site, and nothing that leads elsewhere. */
function pathHere(to: string | null | undefined, origin: string): string {
  if (to === null || to === undefined || !URL.canParse(to, origin)) return "/";
  const { origin: where, pathname, search } = new URL(to, origin);
  // Resolving dots and backslashes can leave two slashes at its head, and after these a browser reads a host (RFC 3986, 4.2).
  return where === origin && !pathname.startsWith("//") ? pathname + search : "/";
}

/** The code of a pasted link, or what was pasted itself. */
function codeOf(pasted: string): string {
  const text = pasted.trim();
  return URL.canParse(text) ? (new URL(text).searchParams.get("code") ?? "") : text;
}
