import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderEvent } from "../../../../src/cli/output/event.ts";
import { renderMarkdown } from "../../../../src/cli/output/timeline/markdown.ts";
import { someEvent, testCanvas } from "../../../support/canvas.ts";

const table = (header: string, columns: number, rows: string) => `${header}\n${"|-".repeat(columns)}\n${rows}`;

describe("a table", () => {
  test("whose header is long says it cut in each row, and so many rows", () => {
    const header = `|${"h".repeat(2000)}${"|bbbbbbbbbbbb".repeat(12)}`;
    const lines = renderMarkdown(table(header, 13, "|1\n".repeat(8000)), testCanvas(), 68);
    expect(lines.slice(0, 3)).toEqual([`${"h".repeat(33)}…: 1`, "", `${"h".repeat(33)}…: 1`]);
    expect(lines.at(-1)).toBe("… 7800 more rows: a pipe gets the whole");
    expect(lines).toHaveLength(400);
  });

  test("of many columns shows the first", () => {
    const lines = renderMarkdown(
      table("|a".repeat(5_000), 5_000, `${"|1".repeat(5_000)}\n${"|1\n".repeat(5_000)}`),
      testCanvas(),
      200,
    );
    expect(lines[0]?.match(/a/gu)).toHaveLength(30);
    expect(lines.at(-1)).toBe("… 4801 more rows, 4970 more columns: a pipe gets the whole");
  });
});

describe("on a terminal it is folded, in a pipe it isn't:", () => {
  const many = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));
  test.each<[what: string, type: string, payload: object, [most: number, note: RegExp]]>([
    [
      "a plan",
      "agent_plan_execution_update",
      { entries: many(5_000, (at) => ({ content: `do ${at}` })) },
      [42, /^ +… 4960 more$/u],
    ],
    [
      "options",
      "agent_ask_user",
      { question: "which?", options: many(5_000, (at) => ({ id: `${at}`, name: `this ${at}` })) },
      [42, /^ +… 4960 more$/u],
    ],
    ["paths", "agent_file_read", { paths: many(5_000, (at) => `a/${at}.ts`) }, [10, /a\/39\.ts, … 4960 more$/u]],
    ["changed paths", "agent_uncommitted_changes", { paths: many(5_000, (at) => `a/${at}.ts`) }, [10, /, … 4960 more$/u]],
    ["conflicts", "agent_conflict_state", { paths: many(5_000, (at) => `a/${at}.ts`) }, [10, /, … 4960 more$/u]],
    [
      "what was taken back",
      "agent_rollback_uncommitted_changes",
      { paths: many(5_000, (at) => `${at}.ts`) },
      [10, /, … 4960 more$/u],
    ],
    [
      "a command",
      "agent_run_repository_command",
      { command: "echo one two\n".repeat(20_000), exit_code: 0 },
      [42, /^ +… 5001 more lines and 195 kB: a pipe gets the whole$/u],
    ],
    [
      "a long command line",
      "agent_run_repository_command",
      { command: "x".repeat(500_000), exit_code: 0 },
      [42, /… 924 more lines and 435 kB/u],
    ],
    [
      "a message",
      "agent_message",
      { message: "x\n\n".repeat(20_000) },
      [2_001, /^ +… 37999 more lines: a pipe gets the whole$/u],
    ],
    ["what the user wrote", "user_message", { message: "x\n".repeat(20_000) }, [2_001, /^ +… 18000 more lines: a pipe/u]],
    ["what the system wrote", "system_message", { message: "x\n".repeat(20_000) }, [2_001, /^ +… 18000 more lines: a pipe/u]],
  ])("%s", (_what, type, payload, [most, note]) => {
    const lines = renderEvent(someEvent(type, payload), testCanvas());
    expect(lines.length).toBeLessThanOrEqual(most);
    expect(lines).toContainEqual(expect.stringMatching(note));
    expect(renderEvent(someEvent(type, payload), testCanvas({ isTTY: false })).join("\n")).not.toMatch(/… \d+/u);
  });
});

test("whatever a message of up to 100 kB is made of, it is drawn in so many lines, and with work in proportion", () => {
  const piece = fc.constantFrom(
    ...["|", "|a", "|-", "|1\n", "> ", ">", "- ", "  - ", "1. ", "```\n", "~~~", "`", "*", "**", "_", "*_", "_*", "[", "](", ")"],
    ...[
      "[a](b)",
      "**`a`",
      "#",
      "# ",
      "\n",
      "\n\n",
      " ",
      "\t",
      "漢",
      "e\u0301",
      "word ",
      "x",
      "\\|",
      "|h".repeat(13),
      "h".repeat(500),
    ],
  );
  const run = fc.tuple(piece, fc.integer({ min: 1, max: 20_000 })).map(([text, times]) => text.repeat(times).slice(0, 40_000));
  const aTable = fc
    .tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 5_000 }), piece, piece)
    .map(([columns, rows, name, cell]) => table(`|${name}`.repeat(columns), columns, `|${cell}\n`.repeat(rows)));
  const message = fc
    .array(fc.oneof(run, aTable), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join("\n").slice(0, 100_000));
  fc.assert(
    fc.property(message, fc.constantFrom(20, 80, 300), (text, columns) => {
      const canvas = testCanvas({ columns, color: true });
      const counted = countPainted(canvas);
      const lines = renderEvent(someEvent("agent_message", { message: text }), counted.canvas);
      expect(lines.length).toBeLessThanOrEqual(2_001);
      // A terminal's width may be filled with blanks in each line; each column may have the codes of some looks.
      expect(counted.painted()).toBeLessThan(10_000 + 100 * text.length);
      expect(lines.reduce((sum, line) => sum + line.length, 0)).toBeLessThan(2_001 * columns * 20);
    }),
    { numRuns: 40 },
  );
});

/** The canvas, and how many characters were painted on it. */
function countPainted(canvas: ReturnType<typeof testCanvas>) {
  let sum = 0;
  const counting = Object.entries(canvas.style).map(([name, paint]: [string, (text: string) => string]) => [
    name,
    (text: string) => {
      sum += text.length;
      return paint(text);
    },
  ]);
  return { canvas: { ...canvas, style: Object.fromEntries(counting) as typeof canvas.style }, painted: () => sum };
}
