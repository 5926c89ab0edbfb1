import { afterEach, beforeEach, expect, test } from "vitest";
import { exitCodes } from "../../src/base/errors.ts";
import { ferry } from "../support/ferry.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

test("help environment and help exit-codes are data, a line each", async () => {
  const { code, stdout, stderr } = await ferry(world, "help", "environment");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^Variables of the environment:\n {2}FERRY_HOST +the service, as --host\n/u);
  const codes = (await ferry(world.next(), "help", "exit-codes")).stdout.matchAll(/^ {2}(\d+) /gmu);
  expect([...codes].map(([, number]) => Number(number))).toEqual([0, ...Object.values(exitCodes)]);
});

test("help settings names each key that config takes, an agent's too, and git's", async () => {
  const { stdout } = await ferry(world, "help", "settings");
  const keys = [...stdout.matchAll(/^ {2}((?:git config )?\S+)/gmu)].map(([, key = ""]) => key);
  const listed = (await ferry(world.next(), "config", "list", "--jq", ".[].name")).stdout.trim().split("\n");
  expect(keys.slice(0, listed.length)).toEqual(listed);
  for (const key of keys.filter((key) => key.startsWith("agents.")).map((key) => key.replace("NAME", "goose")))
    expect((await ferry(world.next(), "config", "get", key)).stderr).not.toContain("there is no key");
  expect(keys).toContain("git config ferry.hookStrict");
});

test("a command's help names what its JSON has; one that prints what a service likes names nothing", async () => {
  expect((await ferry(world, "session", "view", "--help")).stdout).toMatch(/\n\nJSON fields:\n {2}id, title, workspace_id, /u);
  expect((await ferry(world.next(), "api", "--help")).stdout).not.toContain("JSON fields");
  const sent = (await ferry(world.next(), "message", "send", "--help")).stdout;
  expect(sent).toMatch(/\n {2}id, session_id, [^:]*\n {2}with --wait: session_id, outcome, status, agent_status, exit\n/u);
});

test("the help of all names them; another word is a command", async () => {
  expect((await ferry(world, "--help")).stdout).toMatch(
    /ferry help environment, ferry\s+help settings,\s+ferry\s+help\s+exit-codes/u,
  );
  expect((await ferry(world.next(), "help", "pull")).stdout).toContain("ferry pull");
  const flags = ["--color", "never", "--no-input"];
  expect((await ferry(world.next(), "help", "settings", ...flags)).stdout).toBe(
    (await ferry(world.next(), "help", "settings")).stdout,
  );
  expect((await ferry(world.next(), "help", "environmen")).code).toBe(2);
});
