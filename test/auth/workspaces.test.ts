import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../../src/cli/config/config.ts";
import { ferry } from "../support/ferry.ts";
import { type ForeignLogin, makeForeignLogin } from "../support/foreign-login.ts";
import { json } from "../support/login-server.ts";

/** One person, in two workspaces of one service. */
let scene: ForeignLogin;
beforeEach(() => {
  scene = makeForeignLogin();
});
afterEach(() => scene.world.dispose());

const loginTo = async (workspace: string | undefined) => {
  scene.server.answers.set("/api/v1/cli", async () =>
    json(200, { user: { email: "ada@example.com" }, ...(workspace !== undefined && { workspace: { name: workspace } }) }),
  );
  expect((await scene.login()).code).toBe(0);
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
      "  hint: name a host, an account or a workspace\n",
  );
  expect(await run("auth", "switch", "Alpha", "--json")).toMatchObject({
    stdout: expect.stringContaining('"workspace":"Alpha"') as string,
    stderr: "now agents.example.com as ada@example.com, workspace Alpha\n",
  });
  expect(await workspaces()).toEqual(["Alpha", "Beta"]);
  expect((await run("logout")).stderr).toBe(
    "logged out of agents.example.com (ada@example.com, workspace Alpha); the key is revoked\n",
  );
  expect([await workspaces(), scene.server.revoked]).toEqual([["Beta"], ["key-1"]]);
});

test("one more to the same takes its place, as does one where the service names none", async () => {
  await loginTo("Alpha");
  await loginTo("Alpha");
  await loginTo(undefined);
  await loginTo("Beta");
  expect([await workspaces(), scene.server.revoked]).toEqual([["Beta"], ["key-1", "key-2", "key-3"]]);
});
