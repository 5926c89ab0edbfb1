import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeNetwork } from "../../src/host/network.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { serve } from "../support/http-server.ts";
import type { SendRequest } from "../../src/host/host.ts";
import { ferry } from "../support/ferry.ts";
import { json, text, type LoginServer } from "../support/login-server.ts";
import { type World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

const proxyHint = "  hint: is a proxy or a sign-in page in the way? check the host's address, and try again\n";
const laterHint = "  hint: try again later, or pipe a key of its portal to ferry login --with-token\n";
const addressHint = "  hint: check the host's address, or pipe a key of its portal to ferry login --with-token\n";
const portalHint = "  hint: make a key in its portal, and pipe it to ferry login --with-token\n";
const tellHint = "  hint: tell whoever runs the service, or pipe a key of its portal to ferry login --with-token\n";
const page = { "content-type": "text/html" };

describe("the service answers the token call with HTML, with 500, or never (case 6)", () => {
  type Row = [what: string, answer: () => ReturnType<typeof text>, exit: number, says: string];
  const rows: Row[] = [
    ["HTML", () => text(200, "<html>", page), 6, `answered the login with a web page\n${proxyHint}`],
    [
      "a text",
      () => text(200, "hi", { "content-type": "text/plain" }),
      6,
      `answered the login with something that is no JSON\n${proxyHint}`,
    ],
    ["nothing", () => text(200, ""), 6, `answered the login with something that is no JSON\n${proxyHint}`],
    [
      "nothing that is called JSON",
      () => text(200, "", { "content-type": "application/json" }),
      6,
      `answered the login with nothing, or half of an answer\n${proxyHint}`,
    ],
    ["HTML with 500", () => text(500, "<html>", page), 6, `answered the login with 500\n${laterHint}`],
    ["an empty 502", () => text(502, ""), 6, `answered the login with 502\n${laterHint}`],
    ["429", () => text(429, ""), 6, `answered the login with 429\n${laterHint}`],
    [
      "429 in the seed's own shape",
      () => json(429, { statusCode: 429, code: "too_many", error: "Too Many Requests", message: "slow down" }),
      6,
      "can't do the login now: Too Many Requests\n  hint: try again later\n",
    ],
    ["HTML with 403", () => text(403, "<html>", page), 1, `answered the login with 403\n${addressHint}`],
    [
      "a challenge",
      () => text(401, "", { "www-authenticate": 'Basic realm="proxy"' }),
      1,
      `answered the login with 401\n${addressHint}`,
    ],
    ["404", () => json(404, {}), 1, `answered the login with 404\n${addressHint}`],
    [
      "a redirect elsewhere",
      () => text(307, "", { location: "https://evil.example/token" }),
      1,
      "redirects the login to https://evil.example\n  hint: check the host's address, and ask whoever runs the service\n",
    ],
    [
      "a redirect to a page to sign in",
      () => text(302, "", { location: "https://sso.example/login?rd=x" }),
      1,
      "redirects the login to https://sso.example\n  hint: check the host's address, and ask whoever runs the service\n",
    ],
    [
      "a client that is unknown",
      () => json(400, { error: "invalid_client", error_description: "\u001b[31mold\u0007" }),
      4,
      `refused the login: ␛[31mold␇\n${portalHint}`,
    ],
    [
      "that it is busy",
      () => json(400, { error: "temporarily_unavailable" }),
      6,
      "can't do the login now: temporarily_unavailable\n  hint: try again later\n",
    ],
    [
      "scopes that it has none of",
      () => json(400, { error: "invalid_scope" }),
      4,
      "refused the scopes: invalid_scope\n  hint: choose others: --scopes\n",
    ],
    [
      "a key that a bearer's header is no use for",
      () => json(200, { access_token: "key-1", token_type: "DPoP" }),
      1,
      `answered the login with something unexpected: token_type is not Bearer\n${tellHint}`,
    ],
    [
      "a key of a type that nobody knows",
      () => json(200, { access_token: "key-1", token_type: "mac" }),
      1,
      "answered the login with something unexpected: ",
    ],
    ["a key of no type", () => json(200, { access_token: "key-1" }), 1, "answered the login with something unexpected: "],
    ["no key", () => json(200, { token_type: "bearer" }), 1, "answered the login with something unexpected: "],
  ];
  test.each(rows)("%s", async (_, answer, exit, says) => {
    server.answers.set("/token", async () => answer());
    const { code, stderr } = await scene.login();
    expect({ code, stderr }).toEqual({
      code: exit,
      stderr: expect.stringContaining(`ferry: agents.example.com ${says}`) as string,
    });
    expect(world.keychain.items.size).toBe(0);
  });

  test("a key that can be none: whose fault it is is said, and nobody is told to copy what they never saw", async () => {
    server.answers.set("/token", async () => json(200, { access_token: "key 1", token_type: "bearer" }));
    expect(await scene.login()).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        "ferry: the API key of this login has a blank in it\n" +
          "  hint: tell whoever runs agents.example.com, or pipe a key of its portal to ferry login --host https://agents.example.com --with-token\n",
      ) as string,
    });
  });

  test("never: given up after 30 s of silence, and what may be left is said", async () => {
    const silent = await serve(createServer(() => undefined));
    const { send } = makeNetwork({});
    const waited: unknown[] = [];
    server.answers.set("/token", (request) => {
      waited.push(request.idleTimeout);
      // A hundredth of the time, over the real network.
      return send({ ...request, url: `http://${silent}/token`, idleTimeout: (request.idleTimeout ?? 0) / 100 });
    });
    const { code, stderr } = await scene.login();
    expect({ code, waited }).toEqual({ code: 6, waited: [30_000] });
    expect(stderr).toContain(
      "a key may have been made all the same: if the portal at agents.example.com lists one, revoke it there\n" +
        `ferry: ${silent} sent nothing for 0.3 s\n  hint: run ferry login again\n`,
    );
    expect(server.calls.filter((call) => call === "POST /token")).toHaveLength(1);
  });
});

test("a description of the error that is no text is no fault of ours", async () => {
  server.answers.set("/token", async () => json(400, { error: "x", error_description: 5 }));
  const { code, stderr } = await scene.login();
  expect([code, stderr]).toEqual([4, expect.stringContaining("agents.example.com refused the login: 5\n")]);
});

test("key-shaped text in --verbose is cut", async () => {
  server.answers.set("/api/v1/cli", async (request) => {
    server.answers.delete("/api/v1/cli");
    const { headers, ...answer } = await server.send(request);
    return {
      ...answer,
      headers: {
        ...headers,
        "x-echo": `got ${request.headers["x-api-key"] ?? ""}`,
        "x-form": "%6b%65%79%2d%31 \\u006bey-1",
        location: "https://x.example/?code=s3cret",
      },
    };
  });
  const { code, stderr } = await scene.login(scene.approve, { argv: ["--verbose"] });
  expect(code).toBe(0);
  expect(stderr).toContain("< x-echo: got <redacted>\n");
  expect(stderr).toContain("< x-form: <redacted> <redacted>\n");
  expect(stderr).not.toMatch(/key-1|s3cret/u);
});

describe("what a service says back of a code, a verifier or a key is cut", () => {
  const escaped = (words: string) =>
    Array.from(words, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const percent = (words: string) => Array.from(words, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
  const plain = (words: string) => words;
  const refusing =
    (status: number, form: (words: string) => string) =>
    async ({ body }: SendRequest) =>
      text(status, `{"error":"invalid_request","error_description":"bad: ${form(String(body))}"}`, {
        "content-type": "application/json",
        "x-echo": form(String(body)),
      });

  test.each([
    [400, "plain", plain],
    [400, "in JSON's escapes", escaped],
    [400, "as forms have it", percent],
    [421, "plain", plain],
    [421, "in JSON's escapes", escaped],
  ])("with %d, %s", async (status, _, form) => {
    server.answers.set("/revoke", refusing(status, form));
    expect((await scene.login()).code).toBe(0);
    const out = await ferry(world.next(), "logout", "--verbose");
    expect(out.stderr).toContain("it could not be revoked: ");
    for (const way of [plain, escaped, percent]) expect(out.stderr).not.toContain(way("key-1"));

    let sent = new URLSearchParams();
    server.answers.set("/token", (request) => {
      sent = new URLSearchParams(String(request.body));
      return refusing(status, form)(request);
    });
    const refused = await scene.login(scene.approve, { argv: ["--verbose"] });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(status === 421 ? /\(POST \/token: 421\)/u : /refused the login: bad: /u);
    for (const name of ["code", "code_verifier"]) {
      expect(sent.get(name) ?? "").not.toBe("");
      for (const way of [plain, escaped, percent]) expect(refused.stderr).not.toContain(way(sent.get(name) ?? ""));
    }
  });
});

test("the user presses Deny (case 6)", async () => {
  const { code, stderr } = await scene.login((url) => {
    const back = new URL(server.approve(url));
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    void fetch(back);
  });
  expect(code).toBe(4);
  expect(stderr).toContain("ferry: the login was denied in the browser\n");
  expect(server.calls).not.toContain("POST /token");
});

test("the code has expired (case 6): it is said, and the next approval logs in", async () => {
  const refusals = [
    json(400, { error: "invalid_grant" }),
    json(400, { error: "invalid_grant", error_description: "code: it has expired" }),
  ];
  server.answers.set("/token", async (request) => {
    const refusal = refusals.shift();
    if (refusal !== undefined) return refusal;
    server.answers.delete("/token");
    return server.send(request);
  });
  const act = async (url: string): Promise<void> => {
    for (let time = 0; time < 3; time++) await fetch(server.approve(url));
  };
  const { code, stderr } = await scene.login((url) => void act(url));
  expect(code).toBe(0);
  const next = "; approve it once more at the address above, or give up with Ctrl-C\n";
  expect(stderr).toContain(`agents.example.com refused the code: it is wrong, used or too old${next}`);
  expect(stderr).toContain(`agents.example.com refused the code: it has expired${next}`);
});

test("a wrong code with the right state is told, and the right one is still taken", async () => {
  let shown = "";
  const act = async (url: string): Promise<void> => {
    const right = server.approve(url);
    const wrong = new URL(right);
    wrong.searchParams.set("code", "made-up");
    shown = await (await fetch(wrong)).text();
    await fetch(right);
  };
  const { code, stderr } = await scene.login((url) => void act(url));
  expect(shown).toContain("did not work");
  expect(code).toBe(0);
  expect(stderr).toContain(
    "agents.example.com refused the code: it is wrong, used or too old; approve it once more at the address above, or give up with Ctrl-C\n",
  );
  expect(server.given).toEqual(["key-1"]);
});

test("the key is not sent to another host after a redirect", async () => {
  const seen: unknown[] = [];
  world.services.set("https://evil.example", async (request) => {
    seen.push(request);
    return json(200, {});
  });
  for (const path of ["/api/v1/cli", "/api/v1/sessions"])
    server.answers.set(path, async () => text(302, "", { location: `https://evil.example${path}` }));
  const { code, stderr } = await scene.login();
  expect(code).toBe(1);
  expect(stderr).toContain("agents.example.com redirects to https://evil.example; the key is not sent there");
  expect(seen).toEqual([]);
});

describe("the key of this very login, which the service says once more", () => {
  const key = "ferry_SECRETSECRETSECRETSECRET";
  const verbose = { argv: ["--verbose"] };

  test("in headers of the token's answer: --verbose shows none of them but what says how it went", async () => {
    server.answers.set("/token", async () =>
      json(200, { access_token: key, token_type: "bearer" }, { "x-issued": key, etag: key }),
    );
    server.answers.set("/revoke", async () => json(401, {}, { "www-authenticate": `Bearer error="${key}"` }));
    const { stderr } = await scene.login(scene.approve, verbose);
    expect(stderr).toContain("< content-type: application/json\n");
    expect(stderr).not.toContain(key);
  });

  test.each([
    ["a type that is none", { access_token: key, token_type: 5 }],
    ["another type", { access_token: key, token_type: "mac" }],
    ["a number for a time", { access_token: key, token_type: "bearer", expires_in: "soon" }],
    ["a list for the key", { access_token: [key], token_type: "bearer" }],
  ])("in a body that is refused for %s: neither --verbose nor the error shows it", async (_, body) => {
    server.answers.set("/token", async () => json(200, body));
    const { code, stderr } = await scene.login(scene.approve, verbose);
    expect(code).toBe(1);
    expect(stderr).not.toContain(key);
  });

  test("in a body that breaks off", async () => {
    server.answers.set("/token", async () => text(200, `{"access_token":"${key}" x`, { "content-type": "application/json" }));
    const { code, stderr } = await scene.login(scene.approve, verbose);
    expect(code).toBe(6);
    expect(stderr).not.toContain("SECRET");
  });
});
