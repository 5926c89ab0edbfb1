import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { type Keyring, startKeyring } from "../support/keyring.ts";
import { describeWith } from "../support/programs.ts";
import { type Serving, startServing } from "../support/serving.ts";

describeWith(["dbus-daemon", "dbus-send", "gnome-keyring-daemon"], "a login kept in gnome-keyring", () => {
  let folder: string;
  let keyring: Keyring;
  let place: Binary;
  let service: Serving;
  let key: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ferry-keyring-"));
    keyring = await startKeyring(folder);
    place = makeBinary();
    service = await startServing(place);
    key = readFileSync(join(place.folder, "data", "key"), "utf8");
  });
  afterAll(async () => {
    await service.stop();
    await place.dispose();
    await keyring.stop();
    rmSync(folder, { recursive: true });
  });

  const run = (argv: readonly string[], input?: string) =>
    place.run(argv, {
      env: { ...keyring.env, HOME: place.folder, FERRY_CREDENTIAL_STORE: "" },
      ...(input !== undefined && { input }),
    });

  test("unlocked: the key is there and in no file of ours", async () => {
    const { code, stderr } = await run(["login", "--host", service.address, "--with-token"], key);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("the key is in the keychain") as string });
    expect((await run(["whoami"])).code).toBe(0);
    const ours = ["config", "state"].flatMap((name) =>
      readdirSync(join(place.folder, name), { recursive: true, encoding: "utf8" }).map((path) => join(place.folder, name, path)),
    );
    expect(ours.filter((path) => statSync(path).isFile() && readFileSync(path).includes(key))).toEqual([]);
  });

  test("doctor writes, reads and deletes a probe", async () => {
    expect((await run(["doctor"])).stdout).toContain("a probe was written, read back and deleted");
  });

  test("locked, with nobody to unlock it: each command says so within 4 s, and forgets nothing", async () => {
    await keyring.lock();
    for (const argv of [["whoami"], ["auth", "status"], ["logout"]]) {
      const started = performance.now();
      const { code, stderr } = await run(argv);
      expect({ argv, code }).toEqual({ argv, code: 4 });
      expect(stderr).toContain("the keychain is locked");
      expect(performance.now() - started).toBeLessThan(4000);
    }
    expect(readFileSync(join(place.folder, "config", "config.json"), "utf8")).toContain(service.address);
  });
});
