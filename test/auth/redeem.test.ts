import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
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

describe("the token call", () => {
  test.each<[string, () => ReturnType<typeof text>, number, string]>([
    ["HTML", () => text(200, "<html>", { "content-type": "text/html" }), 1, "something unexpected"],
    ["500", () => text(500, "oops"), 6, "agents.example.com answered the login with 500"],
    [
      "a redirect elsewhere",
      () => text(307, "", { location: "https://evil.example/token" }),
      1,
      "redirects the login to https://evil.example",
    ],
    [
      "an expired code",
      () => json(400, { error: "invalid_grant", error_description: "\u001b[31mold\u0007" }),
      4,
      "refused the login: ␛[31mold␇",
    ],
    [
      "a key that a bearer's header is no use for",
      () => json(200, { access_token: "key-1", token_type: "DPoP" }),
      1,
      "something unexpected: token_type is not Bearer",
    ],
    [
      "a key of a type that nobody knows",
      () => json(200, { access_token: "key-1", token_type: "mac" }),
      1,
      "something unexpected",
    ],
    ["a key of no type", () => json(200, { access_token: "key-1" }), 1, "something unexpected"],
    ["no key", () => json(200, { token_type: "bearer" }), 1, "something unexpected"],
  ])("answered with %s", async (_, answer, exit, says) => {
    server.answers.set("/token", async () => answer());
    const { code, stderr } = await scene.login();
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(says) as string });
    expect(world.keychain.items.size).toBe(0);
  });
});

test("the key is not sent to another host after a redirect", async () => {
  const seen: unknown[] = [];
  world.services.set("https://evil.example", async (request) => {
    seen.push(request);
    return json(200, {});
  });
  server.answers.set("/api/v1/cli", async () => text(302, "", { location: "https://evil.example/api/v1/cli" }));
  const { code, stderr } = await scene.login();
  expect(code).toBe(1);
  expect(stderr).toContain("agents.example.com redirects to https://evil.example; the key is not sent there");
  expect(seen).toEqual([]);
});
