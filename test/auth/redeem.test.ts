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
      "a client that is unknown",
      () => json(400, { error: "invalid_client", error_description: "\u001b[31mold\u0007" }),
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
    "agents.example.com refused the login: invalid_grant; approve it once more at the address above, or give up with Ctrl-C\n",
  );
  expect(server.given).toEqual(["key-1"]);
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
