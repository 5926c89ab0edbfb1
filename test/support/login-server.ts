import { createHash } from "node:crypto";
import type http from "node:http";
import { text as readAll } from "node:stream/consumers";
import type { Send, SendRequest, SendResponse } from "../../src/host/host.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a login server of another make answers; whatever isn't expected of a client is refused. */
export interface LoginServer {
  readonly origin: string;
  readonly send: Send;
  /** `METHOD path` of each call, in order. */
  readonly calls: string[];
  /** Keys that it gave, in order, and those that were revoked. */
  readonly given: string[];
  readonly revoked: string[];
  /** What a test changes: the metadata, or the whole answer of a path. */
  metadata: Json;
  readonly answers: Map<string, (request: SendRequest) => Promise<SendResponse>>;
  /** As the person's browser: approves the address, and gives where it is sent. */
  approve(url: string): string;
}

/** Strict about what RFC 6749 and RFC 7636 ask of a client; its own keys are `key-1`, `key-2`, … */
export function makeLoginServer(origin = "https://agents.example.com"): LoginServer {
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  const server: LoginServer = {
    origin,
    calls: [],
    given: [],
    revoked: [],
    metadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    },
    answers: new Map(),
    async send(request) {
      const { pathname } = new URL(request.url);
      server.calls.push(`${request.method} ${pathname}`);
      return (server.answers.get(pathname) ?? answer)(request);
    },
    approve(url) {
      const { origin: where, pathname, searchParams: asked } = new URL(url);
      if (where + pathname !== server.metadata["authorization_endpoint"]) throw new Error(`unexpected address: ${url}`);
      if (asked.get("response_type") !== "code" || asked.get("code_challenge_method") !== "S256")
        throw new Error("no code with S256");
      const code = `code-${codes.size + 1}`;
      const redirectUri = asked.get("redirect_uri") ?? "";
      codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirectUri });
      return `${redirectUri}?${new URLSearchParams({ code, state: asked.get("state") ?? "", iss: origin }).toString()}`;
    },
  };

  async function answer({ method, url, headers, body }: SendRequest): Promise<SendResponse> {
    const { pathname } = new URL(url);
    const form = new URLSearchParams(typeof body === "string" ? body : "");
    if (method === "GET" && pathname === "/.well-known/oauth-authorization-server") return json(200, server.metadata);
    if (method === "POST" && pathname === "/token") return redeem(form);
    if (method === "POST" && pathname === "/revoke") {
      server.revoked.push(form.get("token") ?? "");
      return json(200, {});
    }
    if (method === "GET" && pathname === "/api/v1/cli") {
      const key = headers["x-api-key"] ?? "";
      if (!server.given.includes(key) || server.revoked.includes(key)) return json(401, { error: "no such key" });
      return json(200, { user: { id: "usr_1", name: "Ada", email: "ada@example.com" }, workspace: { id: "w", name: "test" } });
    }
    return json(404, { error: "not found" });
  }

  function redeem(form: URLSearchParams): SendResponse {
    const code = form.get("code") ?? "";
    const known = codes.get(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (known?.challenge !== challenge || known.redirectUri !== form.get("redirect_uri") || form.get("client_id") !== "ferry-cli")
      return json(400, { error: "invalid_grant" });
    codes.delete(code);
    const key = `key-${server.given.length + 1}`;
    server.given.push(key);
    return json(200, { access_token: key, token_type: "bearer" });
  }

  return server;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): SendResponse {
  return text(status, JSON.stringify(value), { "content-type": "application/json", ...headers });
}

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): SendResponse {
  return {
    status,
    headers,
    body: (async function* () {
      yield Buffer.from(body);
    })(),
    cancel: async () => undefined,
  };
}

/** The server over real HTTP; it is asked for at each request, since its address is known only once somebody listens. */
export function listenerOf(find: () => LoginServer): http.RequestListener {
  return (incoming, outgoing) => {
    void (async () => {
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const { method = "", url = "" } = incoming;
      const server = find();
      const answer = await server.send({ method, url: server.origin + url, headers, body: await readAll(incoming) });
      outgoing.writeHead(answer.status, answer.headers);
      for await (const chunk of answer.body) outgoing.write(chunk);
      outgoing.end();
    })();
  };
}
