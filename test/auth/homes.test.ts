import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { type LoginServer } from "../support/login-server.ts";
import { describeWith } from "../support/programs.ts";
import { type World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
let server: LoginServer;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world, server } = scene);
});
afterEach(() => world.dispose());

test.runIf(process.platform !== "win32")(
  "keys in a file that others could read: the next command shuts it and says so",
  async () => {
    await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: "file" } });
    const file = join(world.folder, "config", "credentials.json");
    chmodSync(file, 0o644);
    const { code, stderr } = await ferry(world.next(), "whoami");
    expect({ code, mode: statSync(file).mode & 0o777 }).toEqual({ code: 0, mode: 0o600 });
    expect(stderr).toBe(
      `${file} could be read by others on this machine, and is shut now: if anybody may have looked, make new keys\n`,
    );
  },
);

// A file system that is mounted read-only refuses root, too; only root can mount one.
describeWith(process.getuid?.() === 0 ? ["mount", "umount"] : ["only-root-mounts"], "HOME is read-only (case 14)", () => {
  let home: string;
  const remount = (...options: string[]) => execFileSync("mount", ["-o", options.join(","), home]);
  beforeEach(() => {
    home = join(world.folder, "config");
    mkdirSync(home);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", home]);
  });
  afterEach(() => execFileSync("umount", [home]));

  test.each(["keychain", "file"])("a login with the key in the %s says so, and leaves nothing here or there", async (store) => {
    remount("remount", "ro");
    const { code, stderr } = await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: store } });
    expect(code).toBe(1);
    expect(stderr).toContain(`ferry: can't write ${home}/`);
    expect(stderr).toContain("read-only file system\n  hint: ferry's own files can lie elsewhere: FERRY_CONFIG_DIR");
    expect(stderr).not.toContain("logged in");
    expect(world.keychain.items.size).toBe(0);
    // It was found out before anything was asked for.
    expect({ given: server.given, opened: world.opened }).toEqual({ given: [], opened: [] });
    expect(stderr).toMatch(/^ferry: /u);
  });

  test.each([["--device"], ["--with-token"]])("login %s says so before it asks for anything", async (flag) => {
    remount("remount", "ro");
    world.services.clear();
    const { code, stderr } = await scene.login(scene.approve, { argv: [flag], stdin: "a-key" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^ferry: can't write /u) as string });
  });

  test("who is logged in stays so, and a logout that can't be written says so, and that the key is revoked", async () => {
    await scene.login(scene.approve, { env: { FERRY_CREDENTIAL_STORE: "file" } });
    remount("remount", "ro");
    expect((await ferry(world.next(), "whoami")).code).toBe(0);
    const { code, stderr } = await ferry(world.next(), "logout");
    expect(code).toBe(1);
    expect(stderr).toContain(`ferry: the key is revoked, but the login is still kept here: can't write ${home}/`);
    expect(stderr).toContain("read-only file system\n");
    remount("remount", "rw");
    expect(readFileSync(join(home, "config.json"), "utf8")).toContain("agents.example.com");
  });
});

// As `sudo -E` has it: root, with the HOME of another user.
describe.runIf(process.getuid?.() === 0)("a home of another user", () => {
  const env = { FERRY_CONFIG_DIR: "", FERRY_STATE_DIR: "", FERRY_CREDENTIAL_STORE: "file", SUDO_UID: "12345" };
  let home: string;
  beforeEach(() => {
    home = world.host.home;
    mkdirSync(home);
    chownSync(home, 12345, 12345);
  });

  test.each([[[]], [["--device"]], [["--with-token"]]])(
    "login %j is refused before it asks, and makes nothing there",
    async (argv) => {
      world.services.clear();
      const { code, stderr } = await scene.login(scene.approve, { argv, env, stdin: "a-key" });
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: `ferry: ${home} belongs to somebody else\n  hint: run it as that user, without sudo, or let FERRY_CONFIG_DIR name a folder of your own, and log in again\n`,
      });
      expect(readdirSync(home)).toEqual([]);
    },
  );

  test("that root has for good, as in a job of a CI service's container, takes a login", async () => {
    const { code } = await scene.login(scene.approve, { env: { ...env, SUDO_UID: "" } });
    expect(code).toBe(0);
    expect((await ferry(world.next({ env: { ...env, SUDO_UID: "" } }), "whoami")).code).toBe(0);
  });

  test.each([["auth", "switch"], ["config", "set", "credential_store", "file"], ["logout", "--forget"], ["logout"]])(
    "%s %s changes nothing of theirs",
    async (...argv) => {
      const folder = join(home, ".config", "ferry");
      mkdirSync(folder, { recursive: true });
      const file = join(folder, "config.json");
      const hosts = ["a", "b"].map((name) => ({ url: `https://${name}.example`, account: "ada", store: "file", minted: true }));
      writeFileSync(file, JSON.stringify({ version: 1, hosts }));
      for (const path of [folder, file]) chownSync(path, 12345, 12345);
      const before = readFileSync(file, "utf8");
      const { code, stderr } = await ferry(world.next({ env }), ...argv);
      expect({ code, stderr }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`ferry: ${folder} belongs to somebody else`) as string,
      });
      expect({ text: readFileSync(file, "utf8"), uid: statSync(file).uid }).toEqual({ text: before, uid: 12345 });
      expect(readdirSync(folder)).toEqual(["config.json"]);
    },
  );

  test("what is remembered of a host is not left there", async () => {
    const all = { ...env, FERRY_HOST: server.origin, FERRY_API_KEY: "a-key" };
    await ferry(world.next({ env: all }), "whoami");
    expect(readdirSync(home)).toEqual([]);
  });
});

test.each([
  ["is broken", "{", "is no JSON\n  hint: mend it, or remove it and log in again\n"],
  ["is from a newer version", '{"version":2,"hosts":[]}', "was written by a newer ferry\n  hint: update this one\n"],
])("the config file %s (case 14): a login says so, leaves it, and ends the key", async (_, content, says) => {
  mkdirSync(join(world.folder, "config"));
  const file = join(world.folder, "config", "config.json");
  writeFileSync(file, content);
  const { code, stderr } = await scene.login();
  expect(code).toBe(2);
  expect(stderr).toContain(`ferry: ${file} ${says}`);
  expect(readFileSync(file, "utf8")).toBe(content);
  expect(world.keychain.items.size).toBe(0);
  expect(server.revoked).toEqual(server.given);
});

test.each([-2, 2])("the clock is %i days off (case 17): the login doesn't depend on it", async (days) => {
  const { code, stderr } = await scene.login(scene.approve, {
    change: (host) => ({ ...host, clock: { ...host.clock, now: () => host.clock.now() + days * 86_400_000 } }),
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("logged in to") as string });
});
