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

test("the help of all names them; another word is a command", async () => {
  expect((await ferry(world, "--help")).stdout).toContain("ferry help environment, ferry help exit-codes");
  expect((await ferry(world.next(), "help", "pull")).stdout).toContain("ferry pull");
  expect((await ferry(world.next(), "help", "environmen")).code).toBe(2);
});
