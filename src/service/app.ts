import { Hono } from "hono";
import { type AnswerOf, contract, type Operation } from "../wire/contract.ts";
import { openapi } from "../wire/openapi.ts";
import { routes, type Route, type RouteName } from "../wire/routes.ts";
import { handlers } from "./handlers/handlers.ts";
import type { Call, Deps } from "./handlers/handler.ts";
import { jsonAnswer, problemAnswer, simpleAnswer } from "./http/answer.ts";
import { authenticate, authorize } from "./http/authenticate.ts";
import { readJson } from "./http/body.ts";
import { readQuery, validate } from "./http/validate.ts";
import { Problem } from "./problem.ts";

/**
 * The service's HTTP interface: a function, so that it is tested, and called, without a socket. `peer` is the address that the request
 * came from, over TCP. Never rejects.
 */
export type App = (request: Request, peer?: string) => Promise<Response>;

export function makeApp(deps: Deps): App {
  const router = new Hono();
  const methods = new Map<string, string[]>();
  const serve = (method: string, path: string, answer: Answer): void => {
    router.on(method, path, async (context) => guard(() => answer(context.req.raw, context.req.param()), deps));
    methods.set(path, [...(methods.get(path) ?? []), method]);
  };

  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    serve(route.method, route.path.replace(/\{(\w+)\}/gu, ":$1"), (request, params) => operate(name, request, params, deps));
  }
  let description: object | undefined;
  serve("GET", "/api/v1/openapi.json", async () => jsonAnswer((description ??= openapi()), 200));
  serve("GET", "/healthz", async () => jsonAnswer({ status: "ok" }, 200));
  for (const [path, allowed] of methods) router.all(path, () => notAllowed(allowed));
  router.notFound(() => simpleAnswer(404, "there is nothing at this address"));

  return async (request) => router.fetch(request.method === "HEAD" ? asHead(request) : request);
}

type Answer = (request: Request, params: Readonly<Record<string, string>>) => Promise<Response>;

async function operate(name: RouteName, request: Request, params: Call<RouteName>["params"], deps: Deps): Promise<Response> {
  const caller = await authenticate(request.headers, deps.store.keys, deps.clock);
  authorize(routes[name], caller.key);
  const { query, body, status }: Operation = contract[name];
  const call = {
    ...caller,
    params,
    query: query && validate(query, readQuery(new URL(request.url).searchParams)),
    body: body && validate(body, await readJson(request)),
    headers: request.headers,
    signal: request.signal,
  };
  // The contract's schema of this very route has made query and body; that the two belong together can't be said in a type.
  const answer = await (handlers as UntypedHandlers)[name](call, deps);
  return answer instanceof Response ? answer : jsonAnswer(answer, status);
}

type UntypedHandlers = Readonly<Record<RouteName, (call: unknown, deps: Deps) => Promise<AnswerOf<RouteName> | Response>>>;

async function guard(answer: () => Promise<Response>, { log }: Deps): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    log.error("a request failed", error);
    return simpleAnswer(500, "the service failed; its log says why");
  }
}

function notAllowed(allowed: readonly string[]): Response {
  const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].join(", ");
  return simpleAnswer(405, `the method must be one of ${allow}`, { allow });
}

/** A HEAD tells about the JSON form: it must not open a stream that nobody reads. */
function asHead(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("accept");
  return new Request(request, { headers });
}
