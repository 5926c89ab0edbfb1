import { expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { describeFailure, failureAsJson } from "../../../src/cli/output/failure.ts";
import { fail } from "../../../src/cli/run.ts";
import { makeWorld } from "../../support/world.ts";

const inTheWay = (message: string, ...details: string[]) => new FerryError("attention", `in the way: ${message}`, { details });

test("the one detail that the message ends with is not said twice, and is there in JSON", async () => {
  const one = inTheWay("a has local changes", "a has local changes");
  expect(await describeFailure(one, false)).toBe("ferry: in the way: a has local changes\n");
  expect(failureAsJson(one)).toContain('"details":["a has local changes"]');
});

test("nor is the one that it begins with", async () => {
  const one = new FerryError("attention", "a still has its conflict", { details: ["a"] });
  expect(await describeFailure(one, false)).toBe("ferry: a still has its conflict\n");
  const other = new FerryError("attention", "all still has its conflict", { details: ["a"] });
  expect(await describeFailure(other, false)).toBe("ferry: all still has its conflict\n  a\n");
});

test("several are all listed", async () => {
  const several = inTheWay("a has local changes, and 1 more", "a has local changes", "b is untracked");
  expect(await describeFailure(several, false)).toBe(
    "ferry: in the way: a has local changes, and 1 more\n  a has local changes\n  b is untracked\n",
  );
});

test("details that are rows stand in columns, and go to programs with tabs between their cells", async () => {
  const rows = new FerryError("usage", "two", {
    details: ["a\t日本\tone", "bcd\t–\ttwo  words", "and 2 others that are in no column"],
  });
  expect(await describeFailure(rows, false)).toBe(
    "ferry: two\n  a    日本  one\n  bcd  –     two words\n  and 2 others that are in no column\n",
  );
  expect(JSON.parse(failureAsJson(rows))).toMatchObject({ error: { details: rows.details } });
});

test("a message is one line, for programs as well", async () => {
  const error = new FerryError("usage", "--jq: module not found: a\n\njq: 1 compile error");
  expect(JSON.parse(failureAsJson(error))).toEqual({
    error: { kind: "usage", message: "--jq: module not found: a jq: 1 compile error" },
  });
  expect(await describeFailure(error, false)).toBe("ferry: --jq: module not found: a jq: 1 compile error\n");
});

test.each([[[]], [["--json"]]])("a key of ferry's own that was given for a name isn't said back, with %j", async (options) => {
  const world = makeWorld();
  const key = `ferry_${"aB3-_".repeat(8)}xyz`;
  const error = new FerryError("not_found", `agents.example.com has no key ${key}`, { hint: `see ${key}?` });
  expect(await fail(error, ["key", "revoke", key, ...options], world.host)).toBe(5);
  expect(world.terminal.written.stderr).toContain("agents.example.com has no key ferry_…");
  expect(world.terminal.written.stderr).not.toContain("aB3");
  await world.dispose();
});

test("an error that can't be printed, on a full disk say, keeps its exit code", async () => {
  const world = makeWorld();
  const { host, terminal } = world;
  const full = () => Promise.reject(new FerryError("failure", "can't write the output: no space left on device"));
  const filled = { ...host, terminal: { ...terminal, stderr: { ...terminal.stderr, write: full } } };
  expect(await fail(new FerryError("not_found", "no session matches"), ["tail"], filled)).toBe(5);
  await world.dispose();
});
