import type { Send, SendRequest, SendResponse } from "../../src/host/host.ts";

export type Json = Record<string, unknown>;

/**
 * A second implementation of the service that has the seed's interface and nothing of our extension: strict about methods, paths,
 * query parameters and body fields, so that a client that sends more than the seed shows is refused.
 */
export interface SeedService {
  readonly send: Send;
  readonly key: string;
  readonly providers: Json[];
  readonly repositories: Json[];
  readonly sessions: Json[];
  /** By session. */
  readonly events: Map<string, Json[]>;
  /** `METHOD path` of each call, in order. */
  readonly calls: string[];
  /** The latest analysis, by repository. */
  readonly analyses: Map<string, Json>;
  /** What the start of an analysis answers. */
  analyze: (repository: Json) => Json;
  /** What the agent does with a message, right when it comes. */
  agent: (session: Json, message: Json, timeline: Json[]) => void;
}

export interface SeedOptions {
  readonly key?: string;
  /** The header that it takes the key in. */
  readonly header?: "x-api-key" | "authorization";
  /** Lists as bare arrays. */
  readonly bare?: boolean;
}

interface Call {
  readonly id: string;
  readonly body: Json;
}

/** The fields that each body may have; with `!` it must. */
const bodies: Readonly<Record<string, readonly string[]>> = {
  "POST code-providers": ["platform!", "name!", "base_url!", "metadata!"],
  "PATCH code-providers/*": ["name", "base_url", "metadata"],
  "POST repositories": [
    "code_provider_id",
    "name!",
    "full_name!",
    "clone_url!",
    "default_branch",
    "platform!",
    "external_id",
    "enabled",
  ],
  "PATCH repositories/*": ["enabled!"],
  "POST sessions": ["branch_name", "auto_commit", "model"],
  "PATCH sessions/*": ["branch_name", "auto_commit", "model"],
  "POST sessions/*/messages": ["message!", "client_id!"],
};

export function makeSeedService({ key = "seed-key", header = "x-api-key", bare = false }: SeedOptions = {}): SeedService {
  let count = 0;
  const now = (): string => new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();
  const make = (fields: Json): Json => ({
    id: `${++count}`.padStart(4, "0"),
    workspace_id: "w1",
    ...fields,
    created_at: now(),
    updated_at: now(),
  });
  const list = (items: Json[]): unknown => (bare ? items : { items, next_cursor: null });
  const find = (items: readonly Json[], id: string): Json => {
    const item = items.find((one) => one["id"] === id);
    if (item === undefined) throw new Refusal(404, { error: "Not found" });
    return item;
  };
  const remove = (items: Json[], id: string): Json => {
    const item = find(items, id);
    items.splice(items.indexOf(item), 1);
    return item;
  };
  const event = (session: Json, payload: Json, fields: Json): Json =>
    make({
      session_id: session["id"],
      type: payload["type"],
      payload,
      status: "completed",
      client_id: "",
      session_goal_id: "",
      session_task_id: "",
      ...fields,
    });

  const service: SeedService = {
    key,
    providers: [],
    repositories: [],
    sessions: [],
    events: new Map(),
    calls: [],
    analyses: new Map(),
    analyze: () => ({ success: true, message: "started" }),
    agent: (_session, message) => void (message["status"] = "completed"),
    send: async (request) => {
      const { pathname } = new URL(request.url);
      service.calls.push(`${request.method} ${pathname}`);
      try {
        return answer(200, operate(request));
      } catch (error) {
        if (error instanceof Refusal) return answer(error.status, error.body);
        throw error;
      }
    },
  };

  const operations: Readonly<Record<string, (call: Call) => unknown>> = {
    "POST code-providers": ({ body }) => {
      checkPlatform(body);
      return added(service.providers, make({ user_id: "u1", ...body }));
    },
    "GET code-providers": () => list(service.providers),
    "PATCH code-providers/*": ({ id, body }) => Object.assign(find(service.providers, id), body),
    "DELETE code-providers/*": ({ id }) => remove(service.providers, id),
    "POST repositories": ({ body }) => {
      checkPlatform(body);
      return added(service.repositories, make({ webhooks_registered: false, analysis_status: "pending", ...body }));
    },
    "GET repositories": () => list(service.repositories),
    "GET repositories/*": ({ id }) => find(service.repositories, id),
    "PATCH repositories/*": ({ id, body }) => Object.assign(find(service.repositories, id), body),
    "DELETE repositories/*": ({ id }) => remove(service.repositories, id),
    "POST repositories/*/analyze": ({ id }) => service.analyze(find(service.repositories, id)),
    "GET repositories/*/analysis": ({ id }) => {
      const latest = service.analyses.get(String(find(service.repositories, id)["id"]));
      if (latest === undefined) throw new Refusal(404, { error: "Not found" });
      return latest;
    },
    "POST sessions": ({ body }) =>
      added(
        service.sessions,
        make({ title: "", user_id: "u1", auto_commit: false, status: "active", agent_status: "idle", origin: "api", ...body }),
      ),
    "GET sessions": () => list(service.sessions),
    "GET sessions/*": ({ id }) => find(service.sessions, id),
    "PATCH sessions/*": ({ id, body }) => Object.assign(find(service.sessions, id), body),
    "GET sessions/*/events": ({ id }) => (find(service.sessions, id), service.events.get(id) ?? []),
    "POST sessions/*/messages": ({ id, body }) => {
      const session = find(service.sessions, id);
      const timeline = service.events.get(id) ?? [];
      service.events.set(id, timeline);
      const { message, client_id } = body;
      const posted = added(timeline, event(session, { type: "user_message", message }, { status: "processing", client_id }));
      service.agent(session, posted, timeline);
      return posted;
    },
  };

  function operate(request: SendRequest): unknown {
    checkKey(request, header, service.key);
    const url = new URL(request.url);
    const [resource = "", id, ...rest] = url.pathname.replace(/^\/api\/v1\//u, "").split("/");
    const name = `${request.method} ${[resource, id === undefined ? undefined : "*", ...rest].filter((part) => part !== undefined).join("/")}`;
    const operation = operations[name];
    if (operation === undefined || !url.pathname.startsWith("/api/v1/")) throw new Refusal(404, { error: "Not found" });
    const [unknown] = url.searchParams.keys();
    if (unknown !== undefined) throw invalid(`unknown parameter ${unknown}`);
    return operation({ id: decodeURIComponent(id ?? ""), body: readBody(request, bodies[name]) });
  }

  return service;
}

export class Refusal extends Error {
  readonly status: number;
  readonly body: Json;

  constructor(status: number, body: Json) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

function invalid(message: string): Refusal {
  return new Refusal(400, { statusCode: 400, code: "invalid", error: "Bad Request", message });
}

/** The one value that the seed shows. */
function checkPlatform({ platform }: Json): void {
  if (platform !== "gitlab") throw invalid("platform must be one of the following values: gitlab");
}

export function checkKey({ headers }: SendRequest, header: string, key: string): void {
  const given = headers[header];
  if (given !== key && given !== `Bearer ${key}`) throw new Refusal(401, { error: "Unauthorized" });
}

export function readBody({ body, headers }: SendRequest, fields: readonly string[] | undefined): Json {
  if (fields === undefined) {
    if (body !== undefined) throw invalid("no body was expected");
    return {};
  }
  if (headers["content-type"] !== "application/json") throw new Refusal(415, { error: "Unsupported media type" });
  const given = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as Json;
  const known = new Set(fields.map((field) => field.replace("!", "")));
  for (const name of Object.keys(given)) if (!known.has(name)) throw invalid(`unknown field ${name}`);
  for (const field of fields)
    if (field.endsWith("!") && given[field.slice(0, -1)] === undefined) throw invalid(`${field} is missing`);
  return given;
}

function added(items: Json[], item: Json): Json {
  items.push(item);
  return item;
}

export function answer(status: number, value: unknown): SendResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { "content-type": "application/json" },
    body: (async function* () {
      yield bytes;
    })(),
    cancel: async () => undefined,
  };
}
