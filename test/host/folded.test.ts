import fc from "fast-check";
import { expect, test } from "vitest";
import { folded } from "../../src/host/folded.ts";

test("a question is broken between its words, the first line with room for its mark", () => {
  expect(folded("Or paste here the code that the page shows:", 28)).toBe("Or paste here the\ncode that the page\nshows:");
  expect(folded("short", 80)).toBe("short");
  expect(folded("a-word-that-is-longer than the line", 18)).toBe("a-word-that-is-longer\nthan the\nline");
});

test("no word is lost, and none stands on a line that it doesn't fit on beside another", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { minLength: 1 }),
      fc.integer({ min: 1, max: 60 }),
      (words, columns) => {
        const lines = folded(words.join(" "), columns).split("\n");
        expect(lines.join(" ")).toBe(words.join(" "));
        for (const [at, line] of lines.entries())
          if (line.includes(" ")) expect(line.length).toBeLessThanOrEqual(at === 0 ? columns - 10 : columns - 8);
      },
    ),
  );
});
