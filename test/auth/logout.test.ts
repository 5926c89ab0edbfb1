import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keychainService } from "../../src/auth/keychain-probe.ts";
import { configPath, type HostEntry, updateConfig } from "../../src/cli/config/config.ts";
import { dead } from "../support/dead.ts";
import { ferry } from "../support/ferry.ts";
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

async function emptyKeychain(): Promise<void> {
  for (const name of [...world.keychain.items.keys()])
    await world.keychain.deletePassword(...(name.split("\0") as [string, string]));
}

describe("logout", () => {
  test("ends a key that login had made", async () => {
    await scene.login();
    expect((await ferry(world.next(), "logout")).stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key is revoked\n",
    );
    expect(server.revoked).toEqual(server.given);
    expect(world.keychain.items.size).toBe(0);
  });

  test("while the service is down: the local copy goes, and it says that the key was not revoked", async () => {
    await scene.login();
    server.answers.set("/revoke", async () => text(503, ""));
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(0);
    expect(stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key was not revoked there\n" +
        "it could not be revoked: agents.example.com answered the revocation with 503; revoke it in the portal of agents.example.com\n",
    );
    expect(world.keychain.items.size).toBe(0);
  });

  test("with --revoke, which that was asked for, is exit 3 then, and logged out all the same", async () => {
    server.given.push("pasted-key");
    await ferry(world.next({}, { stdin: "pasted-key" }), "login", "--host", server.origin, "--with-token");
    server.answers.set("/revoke", async () => text(503, ""));
    const { code, stdout, stderr } = await ferry(world.next(), "logout", "--revoke", "--json");
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { deleted: true, revoked: false }]);
    expect(stderr).toContain(
      "logged out of agents.example.com (ada@example.com), but its key could not be revoked: agents.example.com answered the revocation with 503",
    );
    expect(world.keychain.items.size).toBe(0);
  });

  test("with --revoke of a key that is gone here, too", async () => {
    await scene.login();
    await emptyKeychain();
    expect(await ferry(world.next(), "logout", "--revoke")).toEqual({
      code: 3,
      stdout: "",
      stderr:
        "ferry: logged out of agents.example.com (ada@example.com), but its key could not be revoked: it was no longer in the keychain\n" +
        "  hint: revoke it in the portal of agents.example.com\n",
    });
  });

  test.each(["http://evil.example", "nonsense", "https://me:secret@evil.example"])(
    "of a login whose address somebody changed to one that keys aren't sent to, %s, asks nobody, and says so",
    async (url) => {
      const entry: HostEntry = { url, account: "ada", store: "keychain", item: "it", minted: true };
      await world.keychain.setPassword(keychainService, `${url} it`, "stored-key");
      await updateConfig(world.host, (config) => ({ ...config, hosts: [entry] }));
      const { code, stderr } = await ferry(world.next(), "logout");
      const why = `the login's address in ${configPath(world.host)} is one that keys aren't sent to, ${url.replace("me:secret", "…")}`;
      expect([code, stderr]).toEqual([0, expect.stringContaining(`\nit could not be revoked: ${why}; revoke it`)]);
      expect(world.keychain.items.size).toBe(0);
    },
  );

  test("leaves a key that was pasted, and ends it with --revoke", async () => {
    server.given.push("pasted-key");
    const paste = () => ferry(world.next({}, { stdin: "pasted-key" }), "login", "--host", server.origin, "--with-token");
    await paste();
    expect((await ferry(world.next(), "logout")).stderr).toContain("not revoked there");
    expect(server.revoked).toEqual([]);
    await paste();
    expect((await ferry(world.next(), "logout", "--revoke")).stderr).toContain("the key is revoked");
    expect(server.revoked).toEqual(["pasted-key"]);
  });

  test("of a key that somebody deleted by hand", async () => {
    await scene.login();
    await emptyKeychain();
    expect(await ferry(world.next(), "logout")).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "logged out of agents.example.com (ada@example.com); the key may still be valid there\n" +
        "it was no longer in the keychain; to be sure of it, revoke it in the portal of agents.example.com\n",
    });
  });

  test.each(["locked", "timeout"] as const)(
    "with a keychain that is %s: says the ways out, and --forget is one",
    async (trouble) => {
      await scene.login();
      world.keychain.trouble = trouble;
      expect(await ferry(world.next(), "logout")).toEqual({
        code: 4,
        stdout: "",
        stderr:
          `ferry: the keychain is ${trouble}\n` +
          `  hint: ${trouble === "locked" ? "unlock it and try again" : "try again"}, or drop the login all the same: ferry logout --forget --host agents.example.com\n`,
      });
      expect(await ferry(world.next(), "logout", "--forget")).toEqual({
        code: 0,
        stdout: "",
        stderr:
          "logged out of agents.example.com (ada@example.com); the key was not revoked there: revoke it in the portal of agents.example.com\n" +
          `the key may still be in the keychain: the keychain is ${trouble}\n`,
      });
      expect(server.revoked).toEqual([]);
      expect((await ferry(world.next(), "logout")).stderr).toBe("ferry: not logged in anywhere\n");
    },
  );

  test("a service that never answers is waited for 5 seconds", async () => {
    await scene.login();
    server.answers.set(
      "/revoke",
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const asked = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(50));
    try {
      expect((await ferry(world.next(), "logout")).stderr).toContain(
        "it could not be revoked: agents.example.com did not answer within 5 seconds; revoke it in the portal of agents.example.com\n",
      );
      expect(asked.mock.calls).toEqual([[5000]]);
    } finally {
      asked.mockRestore();
    }
    expect(world.keychain.items.size).toBe(0);
  });
});

describe("a login in the place of another", () => {
  test("ends the key that the earlier one had made", async () => {
    await scene.login();
    expect((await scene.login()).code).toBe(0);
    expect(server.revoked).toEqual(["key-1"]);
    expect([...world.keychain.items.values()]).toEqual(["key-2"]);
  });

  test("in another store leaves no key in the first", async () => {
    await scene.login();
    await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: "file" } });
    expect(world.keychain.items.size).toBe(0);
    await scene.login();
    expect(readFileSync(join(world.folder, "config", "credentials.json"), "utf8")).not.toContain("key-2");
    expect(server.revoked).toEqual(["key-1", "key-2"]);
    expect([...world.keychain.items.values()]).toEqual(["key-3"]);
  });

  test("leaves a key that was pasted valid, and one that is pasted again alone", async () => {
    server.given.push("pasted-key");
    const paste = () => ferry(world.next({}, { stdin: "pasted-key" }), "login", "--host", server.origin, "--with-token");
    await paste();
    await paste();
    await scene.login();
    expect(server.revoked).toEqual([]);
  });

  test("with the very key that login had made stays one that logout ends", async () => {
    await scene.login();
    await ferry(world.next({}, { stdin: "key-1" }), "login", "--host", server.origin, "--with-token");
    expect(server.revoked).toEqual([]);
    expect((await ferry(world.next(), "logout")).stderr).toContain("the key is revoked");
    expect(server.revoked).toEqual(["key-1"]);
  });

  test("asks a keychain that is locked or silent once, not for each of the two keys", async () => {
    await scene.login();
    for (const trouble of ["locked", "timeout"] as const) {
      world.keychain.trouble = undefined;
      server.answers.set("/token", async (request) => {
        server.answers.delete("/token");
        world.keychain.trouble = trouble;
        world.keychain.asked = 0;
        return server.send(request);
      });
      expect((await scene.login()).code).toBe(4);
      expect(world.keychain.asked).toBe(1);
    }
    expect(server.revoked).toEqual(["key-2", "key-3"]);
  });

  test("says what it could not end", async () => {
    await scene.login();
    server.answers.set("/revoke", async () => text(503, ""));
    const { code, stderr } = await scene.login();
    expect(code).toBe(0);
    expect(stderr).toContain(
      "the key of the earlier login is still valid (agents.example.com answered the revocation with 503): revoke it in the portal of agents.example.com\n",
    );
    world.keychain.trouble = "locked";
    const other = await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: "file" } });
    expect(other.stderr).toContain("the key of the earlier login may still be in the keychain (the keychain is locked)\n");
  });
});

describe("a service that tells the id of a key: it is named wherever the key may still be valid", () => {
  const way = (id: string) =>
    `revoke ${id} in the portal of agents.example.com, or with a login of the scope all:all there: ferry key revoke ${id} --host agents.example.com\n`;
  beforeEach(() => {
    server.answers.set("/api/v1/cli", async ({ headers }) =>
      json(200, {
        user: { email: "ada@example.com" },
        key: { id: `id-${headers["x-api-key"]?.slice("key-".length)}`, scopes: [] },
      }),
    );
  });

  test("by a logout that can't revoke it, and in its JSON", async () => {
    await scene.login();
    server.answers.set("/revoke", async () => text(503, ""));
    const { stdout, stderr } = await ferry(world.next(), "logout", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ key_id: "id-1", revoked: false });
    expect(stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key id-1 was not revoked there\n" +
        `it could not be revoked: agents.example.com answered the revocation with 503; ${way("id-1")}`,
    );
  });

  test("by a logout after one that was killed before it was written down", async () => {
    await scene.login();
    await emptyKeychain();
    expect((await ferry(world.next(), "logout")).stderr).toBe(
      "logged out of agents.example.com (ada@example.com); the key id-1 may still be valid there\n" +
        `it was no longer in the keychain; to be sure of it, ${way("id-1")}`,
    );
  });

  test("by a login in the place of another", async () => {
    await scene.login();
    server.answers.set("/revoke", async () => text(503, ""));
    expect((await scene.login()).stderr).toContain(
      `is still valid (agents.example.com answered the revocation with 503): ${way("id-1")}`,
    );
  });

  test("by a login in the place of one whose key is gone, which only ferry had: it may be valid all the same", async () => {
    await scene.login();
    await emptyKeychain();
    const { code, stderr } = await scene.login();
    expect(code).toBe(0);
    expect(stderr).toContain(
      `the key of the earlier login was no longer in the keychain, and may still be valid: ${way("id-1")}`,
    );
    expect(server.revoked).toEqual([]);
    expect((await scene.login()).stderr).not.toContain("may still be valid");
  });

  test("by what comes after a login that another was to take the place of", async () => {
    await scene.login();
    const path = join(world.folder, "config", "config.json");
    const { hosts, ...rest } = JSON.parse(readFileSync(path, "utf8")) as { hosts: object[] };
    const pending = hosts.map((entry) => ({ ...entry, by: { pid: dead, startTime: "1" } }));
    writeFileSync(path, JSON.stringify({ ...rest, hosts: [], pending }));
    server.answers.set("/revoke", async () => text(503, ""));
    expect((await ferry(world.next(), "logout")).stderr).toContain(
      `the key of an earlier login to agents.example.com (ada@example.com) is still valid (agents.example.com answered the revocation with 503): ${way("id-1")}`,
    );
  });

  test("by a login in the place of one whose keychain can't be had, and whose key is valid therefore", async () => {
    await scene.login();
    world.keychain.trouble = "locked";
    const { code, stderr } = await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: "file" } });
    expect(code).toBe(0);
    expect(stderr).toContain(`may still be in the keychain (the keychain is locked), and is valid: ${way("id-1")}`);
  });

  test("harmless, and by none where it is no text", async () => {
    server.answers.set("/api/v1/cli", async () =>
      json(200, { user: { email: "ada@example.com" }, key: { id: "a\u001b[2J\nb" } }),
    );
    await scene.login();
    expect(readFileSync(join(world.folder, "config", "config.json"), "utf8")).not.toMatch(/\\u001b|\\n/u);
    server.answers.delete("/api/v1/cli");
    await scene.login();
    expect(JSON.parse((await ferry(world.next(), "logout", "--json")).stdout)).toMatchObject({ key_id: null, revoked: true });
  });
});
