import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

test("an option that must be given stands in the usage, as an argument does", async () => {
  const { stdout } = await ferry(world, "key", "create", "--help");
  expect(stdout).toContain("\nUsage: ferry key create <name> --scopes <list> [options]\n");
});

test.each([
  [["schedule", "create"], "argument 'name' and argument 'prompt' and option '--every <interval>'"],
  [["schedule", "create", "nightly"], "argument 'prompt' and option '--every <interval>'"],
  [["schedule", "create", "nightly", "-F", "prompt.md"], "option '--every <interval>'"],
  [["schedule", "create", "nightly", "do it"], "option '--every <interval>'"],
  [["key", "create"], "argument 'name' and option '--scopes <list>'"],
  [["key", "create", "k"], "option '--scopes <list>'"],
  [["key", "create", "--scopes", "all:read"], "argument 'name'"],
])("%j names all that is missing", async (argv, missing) => {
  expect(await ferry(world, ...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: missing required ${missing}\n  hint: see ferry ${argv.slice(0, 2).join(" ")} --help\n`,
  });
});

test("a prompt that an editor takes isn't missing where a person is there", async () => {
  const { stderr } = await ferry(world.next({}, { tty: true }), "schedule", "create", "nightly");
  expect(stderr).toContain("ferry: missing required option '--every <interval>'\n");
});
