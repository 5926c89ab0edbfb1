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

test.each([
  [["session", "view", "a\ufffdb"], "SESSION"],
  [["repo", "delete", "a\ufffdb", "--yes"], "REPOSITORY"],
  [["session", "start", "--repo", "a\ufffdb"], "--repo"],
  [["-C", "a\ufffdb", "session", "list"], "-C"],
  [["run", "--base", "a\ufffdb", "go"], "--base"],
  [["run", "-F", "a\ufffdb"], "--file"],
  [["patch", "--output-directory", "a\ufffdb"], "--output-directory"],
  [["pull", "--trailer", "By: a\ufffdb"], "--trailer"],
  [["api", "GET", "a\ufffdb"], "PATH"],
])("what isn't UTF-8 is exit 2, and names nothing: %j", async (argv, name) => {
  const given = name === "--trailer" ? "By: a\ufffdb" : "a\ufffdb";
  expect(await ferry(world, ...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: ${name} isn't UTF-8, or has U+FFFD in it: ${given}\n`,
  });
});

test.each([
  [["say", "what", "is this \ufffd?"], "the text"],
  [["run", "\ufffd"], "the text"],
  [["session", "start", "-m", "\ufffd"], "--message"],
  [["schedule", "edit", "nightly", "-m", "\ufffd"], "--prompt"],
])("words that aren't UTF-8 are exit 2, and belong into a file: %j", async (argv, name) => {
  expect(await ferry(world, ...argv)).toEqual({
    code: 2,
    stdout: "",
    stderr: `ferry: ${name} isn't UTF-8, or has U+FFFD in it\n  hint: give it in UTF-8, or in a file: -F FILE (-F - reads stdin)\n`,
  });
});

test.each([
  [["api", "POST", "/sessions", "-f", "title=\ufffd"]],
  [["session", "list", "--jq", '.[] | select(.title == "\ufffd")']],
])("what is sent or looked for as it is may have U+FFFD in it: %j", async (argv) => {
  expect((await ferry(world, ...argv, "--host", "https://nobody.example")).stderr).not.toContain("UTF-8");
});

test("so is --fields, whose errors are JSON", async () => {
  const { code, stderr } = await ferry(world, "session", "list", "--fields", ",");
  expect({ code, told: JSON.parse(stderr) as unknown }).toMatchObject({
    code: 2,
    told: { error: { kind: "usage", message: "--fields is empty" } },
  });
});
