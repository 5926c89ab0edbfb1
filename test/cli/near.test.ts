import { describe, expect, test } from "vitest";
import { checkKnown, nearMisses } from "../../src/cli/near.ts";

describe("a near miss is", () => {
  test.each([
    ["a swap", "rnu", "run"],
    ["a letter too few", "sesion", "session"],
    ["a letter too many", "taill", "tail"],
    ["another letter", "pall", "pull"],
    ["two slips in a long word", "prvidr", "provider"],
    ["its beginning", "prov", "provider"],
    ["more than it is", "configure", "config"],
    ["a beginning of an option", "--dry", "--dry-run"],
  ])("%s: %s for %s", (_, word, name) => {
    expect(nearMisses(word, [name, "quite-another"])).toEqual([name]);
  });

  test.each([
    ["bogus", "logs"],
    ["ls", "rm"],
    ["ls", "lst"],
    ["", "run"],
    ["provider", "prd"],
    ["--nope", "--type"],
    ["pr", "provider"],
  ])("not %s for %s", (word, name) => {
    expect(nearMisses(word, [name])).toEqual([]);
  });
});

test("each is named once, and a slip before a beginning", () => {
  expect(nearMisses("taill", ["tail", "tail"])).toEqual(["tail"]);
  expect(nearMisses("login", ["logins", "log"])).toEqual(["logins"]);
});

test("values of a list that may grow: what is none is refused with those that are", () => {
  const colours = { one: "colour", many: "colours" };
  expect(() => checkKnown(colours, ["red", "green"], ["red", "green", "blue"])).not.toThrow();
  expect(() => checkKnown(colours, ["red", "gren", "\u001b"], ["red", "green"])).toThrow(
    expect.objectContaining({
      kind: "usage",
      message: "there is no colour gren, ␛",
      details: ["the colours are red, green"],
      hint: "did you mean green?",
    }) as Error,
  );
});

test("a whole file in the place of a word is near nothing, and that is soon known", () => {
  const names = Array.from({ length: 40 }, (_, at) => `command${at}`);
  const started = performance.now();
  expect(nearMisses("x".repeat(2_000_000), names)).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2_000);
});
