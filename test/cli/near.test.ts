import { describe, expect, test } from "vitest";
import { checkKnown, nearMisses } from "../../src/cli/near.ts";

describe("a near miss is", () => {
  test.each([
    ["a swap", "rnu", "run"],
    ["a letter too few", "sesion", "session"],
    ["a letter too many", "taill", "tail"],
    ["another letter", "pall", "pull"],
    ["two slips in a long word", "prvidr", "provider"],
  ])("%s: %s for %s", (_, word, name) => {
    expect(nearMisses(word, [name, "quite-another"])).toEqual([name]);
  });

  test.each([
    ["bogus", "logs"],
    ["ls", "rm"],
    ["ls", "lst"],
    ["", "run"],
    ["provider", "prd"],
  ])("not %s for %s", (word, name) => {
    expect(nearMisses(word, [name])).toEqual([]);
  });
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
