import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderEvent } from "../../../../src/cli/output/event.ts";
import { wrap } from "../../../../src/cli/output/timeline/spans.ts";
import { characters, widthOf } from "../../../../src/cli/output/width.ts";
import { someEvent, testCanvas } from "../../../support/canvas.ts";

/** Seconds of the processor; those of other processes don't count. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

/** What takes the square of its length takes more than ten seconds of each of these, and what doesn't a small part of one. */
const limit = 8;

const texts: readonly [what: string, text: string][] = [
  ["blanks within a line", `a${" ".repeat(100_000)}b`],
  ["tabs", `a${"\t".repeat(50_000)}b`],
  ["line breaks", `${"\n".repeat(100_000)}x`],
  ["carriage returns", `${"\r".repeat(100_000)}b`],
  ["wide characters", "漢".repeat(100_000)],
  ["joined emoji", "\u{1f469}\u200d".repeat(30_000)],
  ["combining marks", `e${"\u0301".repeat(100_000)}`],
  ["headings of blanks", `# ${" ".repeat(990)}x #y\n`.repeat(60)],
  ["marks of code", Array.from({ length: 350 }, (_, at) => "`".repeat(at + 1)).join(" ")],
  ["a row of marks of code", `x ${"`".repeat(60_000)}`],
  ["marks of links", "[".repeat(60_000)],
  ["marks of emphasis", "*a ".repeat(20_000)],
];

describe.each(texts)("a text of many %s", (_what, text) => {
  test.each([
    ["a pipe", false],
    ["a terminal", true],
  ])("is soon shown in %s", (_where, isTTY) => {
    const canvas = testCanvas({ isTTY });
    const events = [
      someEvent("agent_message", { message: text }),
      someEvent("user_message", { message: text }),
      someEvent("agent_run_repository_command", { command: text, output: text }),
      someEvent("agent_ask_user", { question: text }),
    ];
    for (const event of events) expect(costOf(() => renderEvent(event, canvas))).toBeLessThan(limit);
  });
});

test("a long word of wide characters is broken in one pass", () => {
  const text = "漢".repeat(100_000);
  let lines: string[] = [];
  expect(costOf(() => (lines = wrap([{ text }], 80)))).toBeLessThan(limit);
  expect(lines).toHaveLength(2500);
  expect(lines.join("")).toBe(text);
});

test("characters of a long text are those of the whole, and so is its width", () => {
  const part = fc.constantFrom(
    "a",
    "漢",
    "e\u0301",
    "\u{1f469}\u200d\u{1f467}",
    "\u{1f1e9}",
    "\u{1f44d}\u{1f3fd}",
    "\u1100\u1161",
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 400, maxLength: 900 }), (parts) => {
      const text = parts.join("");
      const whole = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);
      expect([...characters(text)]).toEqual(whole);
      expect(widthOf(text)).toBe(whole.reduce((sum, character) => sum + widthOf(character), 0));
    }),
    { numRuns: 30 },
  );
});

test("what is more than a terminal's reader looks at is folded there, and whole in a pipe", () => {
  const message = "word ".repeat(40_000);
  for (const type of ["agent_message", "user_message"]) {
    const shown = renderEvent(someEvent(type, { message }), testCanvas());
    expect(shown.length).toBeLessThan(1_200);
    expect(shown.at(-1)).toMatch(/… 135 kB more: a pipe gets the whole$/u);
    expect(renderEvent(someEvent(type, { message }), testCanvas({ isTTY: false })).join("")).toContain(message.trim());
  }
});

test("blanks between two lines are none of either", () => {
  expect(wrap([{ text: `one${" ".repeat(50)}two` }], 10)).toEqual(["one", "two"]);
  expect(wrap([{ text: `${" ".repeat(50)}two` }], 10)).toEqual(["two"]);
});

test("a heading keeps its own mark and its length, and what only begins like a rule is none", () => {
  const show = (message: string) => renderEvent(someEvent("agent_message", { message }), testCanvas({ columns: 2000 }))[0];
  expect(show("# About C#")).toMatch(/ About C#$/u);
  expect(show(`# ${"x".repeat(1500)}`)).toContain("x".repeat(1500));
  expect(show(`${"- ".repeat(150)}end`)).toContain("end");
});

test("without Unicode a line is as wide as it was broken for, whatever its characters are made of", () => {
  const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}";
  const message = `${family} \u{1f44d}\u{1f3fd} e\u0301 `.repeat(30);
  const lines = renderEvent(someEvent("agent_message", { message }), testCanvas({ columns: 40, unicode: false }));
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  expect(lines[0]).toMatch(/ \?\? \?\? e/u);
});
