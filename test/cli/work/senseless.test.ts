import { afterEach, beforeEach, expect, test } from "vitest";
import { ferry } from "../../support/ferry.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";
let world: World;
let asked: number;
beforeEach(() => {
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: "k".repeat(20) } });
  asked = 0;
  world.services.set(url, async () => {
    asked++;
    throw new Error("nothing should be asked");
  });
});
afterEach(() => world.dispose());

test.each([
  ["tail --no-exit --until idle", /^option '--until <what>' cannot be used with option '--no-exit'$/u],
  ["tail --updates", /^--updates is for --json$/u],
  ["message send ses_1 hi --timeout 5s", /^--timeout is for --wait$/u],
  ["run go --updates", /^--updates is for --json$/u],
  ["run go --detach --timeout 5s", /^option '--detach' cannot be used with option '--timeout <duration>'$/u],
  ["run go --detach --pull each", /^option '--detach' cannot be used with option '--pull <when>'$/u],
  ["run go --detach --cancel-on-interrupt", /^option '--detach' cannot be used with option '--cancel-on-interrupt'$/u],
  ["run go --detach --updates", /^option '--detach' cannot be used with option '--updates'$/u],
  ["session start --pull end", /^--pull is for --follow$/u],
  ["session start --updates", /^--updates is for --follow$/u],
  ["session start --follow --updates", /^--updates is for --json$/u],
])("ferry %s is a wrong usage, told in a line before anything is asked", async (line, message) => {
  const { code, stdout, stderr } = await ferry(world, ...line.split(" "));
  const [first = "", ...more] = stderr.trimEnd().split("\n");
  expect({ code, stdout, asked }).toEqual({ code: 2, stdout: "", asked: 0 });
  expect(first.replace(/^ferry: /u, "")).toMatch(message);
  expect(more.filter((each) => !each.startsWith("  hint: "))).toEqual([]);
});
