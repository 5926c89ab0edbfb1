import { afterEach, beforeEach, expect, test } from "vitest";
import { type HostEntry, readConfig, updateConfig } from "../../src/cli/config/config.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json } from "../support/login-server.ts";

/** One person, in two workspaces of one service. */
let scene: ForeignLogin;
beforeEach(() => {
  scene = makeForeignLogin();
});
afterEach(() => scene.world.dispose());

const loginTo = async (workspace: string | undefined, id?: string) => {
  scene.server.answers.set("/api/v1/cli", async () =>
    json(200, { user: { email: "ada@example.com" }, ...(workspace !== undefined && { workspace: { name: workspace, id } }) }),
  );
  const { code, stderr } = await scene.login();
  expect(code).toBe(0);
  return stderr;
};
const workspaces = async () => (await readConfig(scene.world.host)).hosts.map(({ workspace }) => workspace);
const run = (...argv: string[]) => ferry(scene.world.next(), ...argv);

test("a login to each is kept, and told by the workspace from the other", async () => {
  await loginTo("Alpha");
  await loginTo("Beta");
  expect([await workspaces(), scene.server.revoked]).toEqual([["Beta", "Alpha"], []]);
  expect((await run("auth", "switch", "ada@example.com")).stderr).toBe(
    "ferry: which login is meant?\n" +
      "  agents.example.com as ada@example.com, workspace Beta\n" +
      "  agents.example.com as ada@example.com, workspace Alpha\n" +
      "  hint: name a host, an account, or a workspace or its id; --host beside one of the latter\n",
  );
  scene.server.answers.set("/api/v1/sessions", async () => json(200, { items: [], next_cursor: null }));
  expect((await run("session", "view", "ses_none")).stderr).toBe(
    'ferry: agents.example.com has no session "ses_none"\n' +
      "  hint: see ferry session list; it may be another login's there (ada@example.com, workspace Alpha): ferry auth switch Alpha\n",
  );
  expect(await run("auth", "switch", "Alpha", "--json")).toMatchObject({
    stdout: expect.stringContaining('"workspace":"Alpha"') as string,
    stderr: "now agents.example.com as ada@example.com, workspace Alpha\n",
  });
  expect(await workspaces()).toEqual(["Alpha", "Beta"]);
  expect((await run("logout")).stderr).toBe(
    "logged out of agents.example.com (ada@example.com, workspace Alpha); the key is revoked\n" +
      "commands use agents.example.com as ada@example.com, workspace Beta now\n",
  );
  expect([await workspaces(), scene.server.revoked]).toEqual([["Beta"], ["key-1"]]);
});

test("where something goes before the logins, none is named as the one that commands use, or may use", async () => {
  await loginTo("Alpha");
  await loginTo("Beta");
  scene.server.answers.set("/api/v1/sessions", async () => json(200, { items: [], next_cursor: null }));
  const [url] = (await readConfig(scene.world.host)).hosts.map((entry) => entry.url);
  const byKey = scene.world.next({ env: { FERRY_HOST: url, FERRY_API_KEY: "of-the-variable" } });
  expect((await ferry(byKey, "session", "view", "ses_none")).stderr).not.toContain("another login");
  const elsewhere = scene.world.next({ env: { FERRY_HOST: "https://other.example" } });
  expect((await ferry(elsewhere, "logout", "--host", url ?? "")).stderr).not.toContain("commands use");
  await loginTo("Beta");
  expect((await ferry(byKey, "logout")).stderr).toMatch(/FERRY_API_KEY is still set\n$/u);
  await loginTo("Beta");
  const unplaced = scene.world.next({ env: { FERRY_API_KEY: "of-the-variable" } });
  expect((await ferry(unplaced, "logout")).stderr).toMatch(/FERRY_API_KEY is still set\n$/u);
});

test("of the logins at a host that something else names, the next one there is named", async () => {
  await loginTo("Alpha");
  await loginTo("Beta");
  const [url = ""] = (await readConfig(scene.world.host)).hosts.map((entry) => entry.url);
  await updateConfig(scene.world.host, ({ hosts, ...config }) => ({
    ...config,
    hosts: [{ ...(hosts[0] as HostEntry), url: "https://first.example", item: "none" }, ...hosts],
  }));
  const there = scene.world.next({ env: { FERRY_HOST: url } });
  expect((await ferry(there, "logout")).stderr).toMatch(/workspace Alpha now\n$/u);
});

test("one more to the same takes its place, and one where the service names none is a login of its own till then", async () => {
  await loginTo("Alpha");
  await loginTo("Alpha");
  await loginTo(undefined);
  expect([await workspaces(), scene.server.revoked]).toEqual([[undefined, "Alpha"], ["key-1"]]);
  await loginTo("Alpha");
  expect([await workspaces(), scene.server.revoked]).toEqual([
    ["Alpha", undefined],
    ["key-1", "key-2"],
  ]);
  await loginTo("Beta");
  expect([await workspaces(), scene.server.revoked]).toEqual([
    ["Beta", "Alpha"],
    ["key-1", "key-2", "key-3"],
  ]);
});

test("two of one name are told by their ids, and one that was renamed is the same", async () => {
  await loginTo("Default", "wsp_1");
  await loginTo("Default", "wsp_2");
  expect((await run("auth", "switch", "Default")).stderr).toContain(
    "  agents.example.com as ada@example.com, workspace Default (wsp_2)\n" +
      "  agents.example.com as ada@example.com, workspace Default (wsp_1)\n",
  );
  expect((await run("auth", "switch", "wsp_1")).code).toBe(0);
  await loginTo("Renamed", "wsp_2");
  expect([await workspaces(), scene.server.revoked]).toEqual([["Renamed", "Default"], ["key-2"]]);
});

test("--host beside a workspace is the host that is meant", async () => {
  await loginTo("Alpha");
  expect(await run("auth", "switch", "Alpha", "--host", "other.example.com")).toMatchObject({
    code: 5,
    stderr: "ferry: not logged in as or to Alpha at other.example.com\n  hint: ferry auth status\n",
  });
  expect((await run("auth", "switch", "Alpha", "--host", "agents.example.com")).code).toBe(0);
});

test("a key that was brought is told where another takes its place, and not where it is the same", async () => {
  const bring = (key: string) => ferry(scene.world.next({}, { stdin: `${key}\n` }), "login", "--with-token", "--host", url);
  const url = "https://agents.example.com";
  scene.server.answers.set("/api/v1/cli", async () => json(404, {}));
  scene.server.answers.set("/api/v1/sessions", async () => json(200, { items: [], next_cursor: null }));
  expect((await bring("brought-1")).stderr).not.toContain("still valid");
  expect((await bring("brought-1")).stderr).not.toContain("still valid");
  expect((await bring("brought-2")).stderr).toContain(
    "the key that was there before is no longer in the keychain, and still valid: revoke it in the portal of agents.example.com\n",
  );
});
