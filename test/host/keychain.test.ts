import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Environment, SecretStore } from "../../src/host/host.ts";
import { makeKeychains } from "../../src/host/keychain.ts";
import { startKeyring, type Keyring } from "../support/keyring.ts";
import { describeWith } from "../support/programs.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const keychainIn = (env: Environment, patience = 10_000): SecretStore =>
  makeKeychains({ env, platform: "linux", dist }).keychain(patience);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ferry-keychain-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The Secret Service is Linux's; on the other systems the call is the system's own, made in process.
describe.runIf(process.platform === "linux")("the keychain of Linux", () => {
  test("without a bus it is unavailable at once, and nothing is started", async () => {
    const keychain = makeKeychains({ env: { XDG_RUNTIME_DIR: folder }, platform: "linux", dist: "/nonexistent" }).keychain();
    await expect(keychain.getPassword("ferry", "a")).rejects.toMatchObject({ kind: "auth", code: "unavailable" });
  });

  test("a bus that accepts and never answers is given up on, and holds nobody up", async () => {
    const path = join(folder, "hung");
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const started = performance.now();
    const keychain = keychainIn({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }, 1500);
    await expect(keychain.getPassword("ferry", "a")).rejects.toMatchObject({ kind: "auth", code: "timeout" });
    expect(performance.now() - started).toBeLessThan(4000);
    server.close();
  });

  describeWith(["dbus-daemon", "dbus-send", "gnome-keyring-daemon"], "gnome-keyring", () => {
    let keyring: Keyring;
    beforeAll(async () => {
      keyring = await startKeyring(join(folder, "keyring"));
    });
    afterAll(() => keyring.stop());

    test("unlocked: what is stored is found, replaced, listed and deleted", async () => {
      const keychain = keychainIn(keyring.env);
      expect(await keychain.getPassword("ferry", "a")).toBeNull();
      await keychain.setPassword("ferry", "a", "k1 ü");
      expect(await keychain.getPassword("ferry", "a")).toBe("k1 ü");
      await keychain.setPassword("ferry", "a", "k2");
      expect(await keychain.findPassword("ferry")).toBe("k2");
      expect(await keychain.findCredentials("ferry")).toEqual([{ account: "a", password: "k2" }]);
      expect(await keychain.deletePassword("ferry", "a")).toBe(true);
      expect(await keychain.deletePassword("ferry", "a")).toBe(false);
    });

    test("locked, with nobody to unlock it: told as locked, never as missing, and the item stays", async () => {
      const keychain = keychainIn(keyring.env);
      await keychain.setPassword("ferry", "a", "k1");
      await keyring.lock();
      const locked = { kind: "auth", code: "locked", message: "the keychain is locked" };
      await expect(keychain.getPassword("ferry", "a")).rejects.toMatchObject(locked);
      await expect(keychain.setPassword("ferry", "a", "k2")).rejects.toMatchObject(locked);
      await expect(keychain.deletePassword("ferry", "a")).rejects.toMatchObject(locked);
      await expect(keychain.findCredentials("ferry")).rejects.toMatchObject(locked);
    });
  });
});
