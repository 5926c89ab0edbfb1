import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asDead, dead } from "../support/dead.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import type { World } from "../support/world.ts";

let scene: ForeignLogin;
let world: World;
beforeEach(() => {
  scene = makeForeignLogin();
  ({ world } = scene);
});
afterEach(() => world.dispose());

interface Written {
  readonly hosts: readonly object[];
  readonly pending?: readonly object[];
}

const configPath = () => join(world.folder, "config", "config.json");
const config = () => JSON.parse(readFileSync(configPath(), "utf8")) as Written;

test("--forget of what is noted leaves the logins that there are, but for one that is named", async () => {
  await scene.login();
  world.keychain.trouble = "unavailable";
  const file = { env: { FERRY_CREDENTIAL_STORE: "file" } };
  expect((await scene.login(scene.approve, file)).stderr).toContain("the key of the earlier login may still be in the keychain");
  const { pending = [], ...rest } = config();
  const by = { pid: dead, startTime: "another" };
  writeFileSync(configPath(), JSON.stringify({ ...rest, pending: pending.map((note) => ({ ...note, by })) }));
  const there = world.next(file);
  const forget = (...more: string[]) => ferry({ ...there, host: asDead(there.host) }, "logout", "--forget", ...more);
  expect(await forget()).toEqual({
    code: 0,
    stdout: "",
    stderr:
      "the key of a login that was broken off may still be in the keychain: the keychain is unavailable\n" +
      "forgot an earlier login to agents.example.com (ada@example.com); its key was not revoked: revoke it in the portal of agents.example.com\n" +
      "still logged in to agents.example.com\n",
  });
  expect(config().hosts).toHaveLength(1);
  expect(await forget("--host", "agents.example.com")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("logged out of agents.example.com (ada@example.com)") as string,
  });
  expect(config().hosts).toEqual([]);
});
