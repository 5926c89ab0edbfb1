import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { text, type LoginServer } from "../support/login-server.ts";
import { type World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

describe("logout", () => {
  test("ends a key that login had made", async () => {
    await scene.login();
    expect((await ferry(world.next(), "logout")).stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key is revoked\n",
    );
    expect(server.revoked).toEqual(server.given);
    expect(world.keychain.items.size).toBe(0);
  });

  test("while the service is down: the local copy goes, and it says that the key is still valid there", async () => {
    await scene.login();
    server.answers.set("/revoke", async () => text(503, ""));
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(0);
    expect(stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key is still valid there\n" +
        "it could not be revoked: agents.example.com answered the login with 503; do it in the portal\n",
    );
    expect(world.keychain.items.size).toBe(0);
  });

  test("leaves a key that was pasted, and ends it with --revoke", async () => {
    server.given.push("pasted-key");
    const paste = () => ferry(world.next({}, { stdin: "pasted-key" }), "login", "--host", server.origin, "--with-token");
    await paste();
    expect((await ferry(world.next(), "logout")).stderr).toContain("still valid there");
    expect(server.revoked).toEqual([]);
    await paste();
    expect((await ferry(world.next(), "logout", "--revoke")).stderr).toContain("the key is revoked");
    expect(server.revoked).toEqual(["pasted-key"]);
  });

  test("of a key that somebody deleted by hand", async () => {
    await scene.login();
    for (const name of [...world.keychain.items.keys()])
      await world.keychain.deletePassword(...(name.split("\0") as [string, string]));
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(0);
    expect(stderr).toContain("it could not be revoked: it is no longer in the keychain");
  });
});
