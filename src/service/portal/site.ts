import { Hono } from "hono";
import type { App } from "../app.ts";
import { problemAnswer, simpleAnswer } from "../http/answer.ts";
import type { Log } from "../log.ts";
import { OAuthError, oauthErrorAnswer } from "../oauth/error.ts";
import { endpoints } from "../oauth/metadata.ts";
import { Problem } from "../problem.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { checkHost, checkOrigin, checkUse } from "./guard.ts";
import { problemPage } from "./pages/problem.ts";
import { authorizeRoutes } from "./routes/authorize.ts";
import { deviceRoutes } from "./routes/device.ts";
import { keyRoutes } from "./routes/keys.ts";
import { passwordRoutes, signInRoutes } from "./routes/sign-in.ts";
import type { Page, Pages, SiteDeps, Visit } from "./visit.ts";
import { baseOf } from "./visitor.ts";

/** What browsers get: the portal, a login's OAuth endpoints, and beside them the API where it is served here. */
export function makeSite(deps: SiteDeps): App {
  const router = new Hono<{ Bindings: { readonly peer: string | undefined } }>();
  const pages = {
    ...signInRoutes,
    ...(deps.passwords && passwordRoutes),
    ...keyRoutes,
    ...(deps.api && { ...authorizeRoutes, ...deviceRoutes }),
  };
  const serve = (served: Pages, base: string): void => {
    for (const [route, page] of Object.entries(served)) {
      const [method = "", path = ""] = route.split(" ");
      router.on(method, base + path, ({ req, env }) => guard(req.raw, page, deps, env.peer));
    }
  };
  serve(pages, "");
  serve(pages, signedInPath);
  router.get(signedInPath, ({ req, env }) => guard(req.raw, pages["GET /"], deps, env.peer));
  if (deps.api !== undefined) serve(oauthRoutes, "");
  router.notFound(({ req, env }) => guard(req.raw, nothingHere, deps, env.peer));
  return async (request, peer) => {
    const { api } = deps;
    if (api === undefined || !isApi(new URL(request.url).pathname)) return router.fetch(request, { peer });
    return guard(request, () => api(request), deps, peer);
  };
}

const signedInPath = "/s/:signIn{[\\w-]{43}}";

async function nothingHere({ request }: Visit): Promise<Response> {
  return problemPage(404, "There is nothing at this address.", baseOf(request));
}

function isApi(path: string): boolean {
  return path.startsWith("/api/") || path === "/healthz";
}

async function guard(request: Request, page: Page, deps: SiteDeps, peer: string | undefined): Promise<Response> {
  try {
    const origin = checkHost(request, deps.names());
    checkOrigin(request, origin);
    checkUse(request);
    return await page({ request, origin, peer }, deps);
  } catch (error) {
    return failure(error, request, deps.log);
  }
}

function isForPrograms(path: string): boolean {
  return isApi(path) || (path !== endpoints.authorize && Object.values<string>(endpoints).includes(path));
}

function failure(error: unknown, request: Request, log: Log): Response {
  const forPrograms = isForPrograms(new URL(request.url).pathname);
  const page = (status: number, message: string): Response => problemPage(status, message, baseOf(request));
  if (error instanceof OAuthError) return forPrograms ? oauthErrorAnswer(error) : page(400, error.message);
  if (error instanceof Problem) return forPrograms ? problemAnswer(error) : page(error.status, error.message);
  log.error("a page failed", error);
  const message = "the service failed; its log says why";
  return forPrograms ? simpleAnswer(500, message) : page(500, message);
}
