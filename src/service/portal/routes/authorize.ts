import { confirmationCode } from "../../../wire/login.ts";
import { type AuthorizationRequest, backTo, grantCode, readAuthorization } from "../../oauth/authorize.ts";
import { isListening } from "../../oauth/client.ts";
import { parametersOf, readForm } from "../../oauth/parameters.ts";
import { Problem } from "../../problem.ts";
import { checkForm } from "../guard.ts";
import { seeOther } from "../page.ts";
import { approvePage } from "../pages/approve.ts";
import { codePage, decidedPage } from "../pages/outcome.ts";
import type { Page, Pages, SiteDeps, Visit } from "../visit.ts";
import type { Visitor } from "../visitor.ts";
import { signedIn } from "./sign-in.ts";

type Answer = (visit: Visit, visitor: Visitor, request: AuthorizationRequest, deps: SiteDeps) => Promise<Response>;

/** The authorization endpoint (RFC 6749, 3.1): the same address asks and, once a person has pressed a button, decides. */
export const authorizeRoutes = {
  "GET /oauth/authorize": authorizing(async ({ request }, visitor, asked, { store }) => {
    const { pathname, search } = new URL(request.url);
    const { requester, scopes, challenge, redirect_uri } = asked;
    return approvePage({
      visitor,
      workspace: store.workspace.name,
      requester,
      scopes,
      code: await confirmationCode(challenge),
      action: pathname + search,
      formTarget: redirect_uri,
      canShow: isListening(redirect_uri),
    });
  }),

  "POST /oauth/authorize": authorizing(async ({ request, origin }, visitor, asked, deps) => {
    const { csrf, decision } = await readForm(request);
    checkForm(request, visitor, csrf);
    const listening = isListening(asked.redirect_uri);
    if (decision === "deny" && !listening) return decidedPage(visitor, "denied");
    if (decision === "deny")
      return seeOther(backTo(asked, origin, { error: "access_denied", error_description: "the login was denied" }));
    if (decision !== "approve" && decision !== "show")
      throw new Problem(400, "invalid_request", "decision: is none of the buttons");
    const code = await grantCode(asked, visitor.user, deps);
    return decision === "show" || !listening ? codePage(visitor, code) : seeOther(backTo(asked, origin, { code }));
  }),
} satisfies Pages;

/** The request is judged before anybody is asked to sign in for it. */
function authorizing(answer: Answer): Page {
  return async (visit, deps) => {
    const asked = readAuthorization(parametersOf(new URL(visit.request.url).searchParams), visit.origin);
    if ("refused" in asked) return seeOther(asked.refused);
    return signedIn((_visit, visitor) => answer(visit, visitor, asked, deps))(visit, deps);
  };
}
