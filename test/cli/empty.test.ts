import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../support/ferry.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.dispose());

test.each([
  [["login", "--scopes", ""], "--scopes"],
  [["login", "--scopes", ","], "--scopes"],
  [["key", "create", "nightly", "--scopes", ""], "--scopes"],
  [["key", "create", "nightly", "--scopes", "sessions:read", "--scopes", " , "], "--scopes"],
  [["events", "--type="], "--type"],
  [["schedule", "create", "nightly", "--every", "1d", "--on", "", "go"], "--on"],
])("a list that names nothing is exit 2, and not one that was left out: %j", async (argv, name) => {
  expect(await ferry(world, ...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: ${name} is empty\n  hint: was it a variable that isn't set?\n`,
  });
});

test("so is --fields, whose errors are JSON", async () => {
  const { code, stderr } = await ferry(world, "session", "list", "--fields", ",");
  expect({ code, told: JSON.parse(stderr) as unknown }).toMatchObject({
    code: 2,
    told: { error: { kind: "usage", message: "--fields is empty" } },
  });
});
