import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Environment, SecretStore } from "../../src/host/host.ts";
import { makeKeychains } from "../../src/host/keychain/keychain.ts";
import { startKeyring, type Keyring } from "../support/keyring.ts";
import { describeWith } from "../support/programs.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const uid = process.getuid?.() ?? -1;
const keychainIn = (env: Environment, patience?: number): SecretStore =>
  makeKeychains({ env, platform: "linux", uid, dist }).keychain(patience);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-keychain-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A bus that hands everything on to another, and has heard all of it. */
async function listenIn(address: string, path: string): Promise<{ path: string; heard: () => string; close: () => void }> {
  let heard = "";
  const server = createServer((near) => {
    const far = connect(/unix:path=([^,;]*)/u.exec(address)?.[1] ?? "");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on("data", (chunk: Buffer) => {
        heard += chunk.toString("latin1");
        to.write(chunk);
      });
    near.on("close", () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, heard: () => heard, close: () => void server.close() };
}

// The Secret Service is Linux's; on the other systems the call is the system's own, made in process.
describe.runIf(process.platform === "linux")("the keychain of Linux", () => {
  test("without a bus it is unavailable at once, and nothing is started", async () => {
    const keychain = makeKeychains({ env: { XDG_RUNTIME_DIR: folder }, platform: "linux", uid, dist: "/nonexistent" }).keychain();
    await expect(keychain.getPassword("ferry", "a")).rejects.toMatchObject({ kind: "auth", code: "unavailable" });
  });

  test("a bus that accepts and never answers is given up on after 3 s, also where a person at a prompt would get 15", async () => {
    const path = join(folder, "hung");
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const started = performance.now();
    const hung = {
      kind: "auth",
      code: "timeout",
      message: expect.stringContaining("within 3 seconds: the D-Bus session") as string,
    };
    const keychains = makeKeychains({ env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }, platform: "linux", uid, dist });
    await expect(keychains.keychain(15_000).getPassword("ferry", "a")).rejects.toMatchObject(hung);
    // Known by now: nobody waits for it twice.
    await expect(keychains.keychain(15_000).setPassword("ferry", "a", "k")).rejects.toMatchObject(hung);
    await expect(keychains.keychain().deletePassword("ferry", "a")).rejects.toMatchObject(hung);
    expect(performance.now() - started).toBeLessThan(4000);
    server.close();
  });

  test("a bus that answers late and then hangs is given up on under the same bound, and the bound is told", async () => {
    const path = join(folder, "late");
    const reply = (serial: number): Buffer => {
      const header = Buffer.alloc(24);
      header.set([0x6c, 2, 1, 1]);
      header.writeUInt32LE(8, 12);
      header.set([5, 1, 0x75, 0, serial], 16);
      return header;
    };
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        const said = chunk.toString("latin1");
        if (said.includes("AUTH EXTERNAL")) setTimeout(() => socket.write("OK 1234deadbeef1234deadbeef12345678\r\n"), 2900);
        if (said.includes("Ping")) socket.write(Buffer.concat([reply(1), reply(2)]));
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const late = keychainIn({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` });
    const started = performance.now();
    await expect(late.getPassword("ferry", "a")).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("the keychain did not answer within 3 seconds") as string,
    });
    // As long as both together would take at least.
    expect(performance.now() - started).toBeLessThan(5900);
    server.close();
  });

  describeWith(["dbus-daemon", "dbus-send", "gnome-keyring-daemon"], "gnome-keyring", () => {
    let keyring: Keyring;
    beforeAll(async () => {
      keyring = await startKeyring(join(folder, "keyring"));
    });
    afterAll(() => keyring.stop());

    test("unlocked: what is stored is found, replaced, listed and deleted", async () => {
      const keychain = keychainIn(keyring.env, 10_000);
      expect(await keychain.getPassword("ferry", "a")).toBeNull();
      await keychain.setPassword("ferry", "a", "k1 ü");
      expect(await keychain.getPassword("ferry", "a")).toBe("k1 ü");
      await keychain.setPassword("ferry", "a", "k2");
      expect(await keychain.findPassword("ferry")).toBe("k2");
      expect(await keychain.findCredentials("ferry")).toEqual([{ account: "a", password: "k2" }]);
      expect(await keychain.deletePassword("ferry", "a")).toBe(true);
      expect(await keychain.deletePassword("ferry", "a")).toBe(false);
    });

    test("what a program that NODE_OPTIONS loads prints is no answer of the keychain's", async () => {
      const loud = join(folder, "loud.cjs");
      writeFileSync(loud, "console.log('loaded');");
      const keychain = keychainIn({ ...keyring.env, NODE_OPTIONS: `--require ${loud}` }, 10_000);
      await keychain.setPassword("ferry", "loud", "k1");
      expect(await keychain.findPassword("ferry")).toBe("k1");
      expect(await keychain.deletePassword("ferry", "loud")).toBe(true);
    });

    test("what lies open is read without a process of its own, and encrypted on its way", async () => {
      // Long enough that what is encrypted, which is random, never holds it by chance.
      const key = "the key of an open keyring ü";
      await keychainIn(keyring.env, 10_000).setPassword("ferry", "open", key);
      const nowhere = makeKeychains({ env: keyring.env, platform: "linux", uid, dist: "/nonexistent" }).keychain();
      expect(await nowhere.getPassword("ferry", "open")).toBe(key);
      const proxy = await listenIn(keyring.env["DBUS_SESSION_BUS_ADDRESS"] ?? "", join(folder, "tapped"));
      const tapped = { ...keyring.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${proxy.path}` };
      expect(await keychainIn(tapped).getPassword("ferry", "open")).toBe(key);
      expect(proxy.heard()).toContain("text/plain");
      expect(proxy.heard()).not.toContain("the key");
      proxy.close();
      await keychainIn(keyring.env, 10_000).deletePassword("ferry", "open");
    });

    test("stopped, on a bus that answers: given up on after 3 s as well", async () => {
      keyring.freeze();
      const started = performance.now();
      await expect(keychainIn(keyring.env, 15_000).getPassword("ferry", "a")).rejects.toMatchObject({
        code: "timeout",
        message: expect.stringContaining("within 3 seconds: the D-Bus session, or who keeps secrets on it") as string,
      });
      expect(performance.now() - started).toBeLessThan(4000);
      keyring.thaw();
    });

    test("locked, with nobody to unlock it: told as locked, never as missing, and the item stays", async () => {
      const keychain = keychainIn(keyring.env, 10_000);
      await keychain.setPassword("ferry", "a", "k1");
      await keyring.lock();
      const locked = { kind: "auth", code: "locked", message: "the keychain is locked" };
      await expect(keychain.getPassword("ferry", "a")).rejects.toMatchObject(locked);
      await expect(keychain.setPassword("ferry", "a", "k2")).rejects.toMatchObject(locked);
      await expect(keychain.deletePassword("ferry", "a")).rejects.toMatchObject(locked);
      await expect(keychain.findCredentials("ferry")).rejects.toMatchObject(locked);
    });

    test("present but empty, with nobody to make a collection: nothing is found, and what can't be kept is told", async () => {
      const empty = await startKeyring(join(folder, "empty"), { empty: true });
      const keychain = keychainIn(empty.env, 10_000);
      expect(await keychain.getPassword("ferry", "a")).toBeNull();
      expect(await keychain.deletePassword("ferry", "a")).toBe(false);
      // A login then keeps the key in its file, and says so.
      await expect(keychain.setPassword("ferry", "a", "k")).rejects.toMatchObject({
        kind: "auth",
        code: "unavailable",
        message: "no keychain: what runs here as one has no collection to keep keys in",
      });
      await empty.stop();
    });

    test("locked, with a prompt that nobody answers: waited for as long as a login may, else for 3 s", async () => {
      await keyring.promptNobody();
      const started = performance.now();
      await expect(keychainIn(keyring.env, 4000).setPassword("ferry", "a", "k2")).rejects.toMatchObject({
        code: "timeout",
        message: "the keychain did not answer within 4 seconds",
      });
      expect(performance.now() - started).toBeGreaterThan(4000);
      await expect(keychainIn(keyring.env).getPassword("ferry", "a")).rejects.toMatchObject({
        code: "timeout",
        message: "the keychain did not answer within 3 seconds",
      });
    });
  });
});
