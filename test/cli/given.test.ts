import { writeFileSync } from "node:fs";
import { join } from "node:path";
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

test("fields that aren't UTF-8 are exit 2, and belong into a file, which is to be UTF-8, too", async () => {
  for (const [option, name] of [
    ["-f", "--field"],
    ["-F", "--typed-field"],
  ] as const)
    expect(await ferry(world.next(), "api", "POST", "/sessions", option, "title=\ufffd")).toEqual({
      code: 2,
      stdout: "",
      stderr: `ferry: ${name} isn't UTF-8, or has U+FFFD in it\n  hint: give it in UTF-8, or in a file: -F NAME=@FILE\n`,
    });
  const there = world.next();
  writeFileSync(join(there.folder, "latin1"), Buffer.from("caf\xe9", "latin1"));
  expect(await ferry(there, "api", "POST", "/sessions", "-F", "title=@latin1", "--host", "https://nobody.example")).toEqual({
    code: 2,
    stdout: "",
    stderr: "ferry: latin1 isn't UTF-8\n  hint: give it as UTF-8, see iconv\n",
  });
});

test.each([
  [["--fields", ","], "--fields is empty"],
  [["--jq", "a\ufffdb"], "--jq isn't UTF-8, or has U+FFFD in it: a\ufffdb"],
])("so is %j, whose errors are JSON", async (options, message) => {
  const { code, stderr } = await ferry(world, "session", "list", ...options);
  expect({ code, told: JSON.parse(stderr) as unknown }).toMatchObject({ code: 2, told: { error: { kind: "usage", message } } });
});
