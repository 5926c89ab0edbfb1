import { describe, expect, test } from "vitest";
import { renderEvent } from "../../../../src/cli/output/event.ts";
import { renderMarkdown } from "../../../../src/cli/output/timeline/markdown.ts";
import { someEvent, testCanvas } from "../../../support/canvas.ts";

const render = (source: string, width = 30) => renderMarkdown(source, testCanvas(), width);
const coloured = (source: string) => renderMarkdown(source, testCanvas({ color: true }), 60).join("\n");

describe("blocks", () => {
  test("a paragraph is filled, and ends at a blank line", () => {
    expect(render("one two three\nfour five six seven eight\n\nnine")).toEqual([
      "one two three four five six",
      "seven eight",
      "",
      "nine",
    ]);
  });

  test("lists hang below their mark, as deep as they are", () => {
    expect(render("- one two three four five six seven\n  * deeper\n10. ten\n- [ ] open\n- [x] done")).toEqual([
      "• one two three four five six",
      "  seven",
      "  • deeper",
      "10. ten",
      "• [ ] open",
      "• [✓] done",
    ]);
  });

  test("code stays as it is, is cut and not wrapped, and ends only at its own fence", () => {
    expect(render("````js\nlet a = '**no**';\n```\n\tindented\n````\nafter")).toEqual([
      "  let a = '**no**';",
      "  ```",
      "      indented",
      "after",
    ]);
    expect(render(`~~~\n${"x".repeat(40)}\n~~~`)).toEqual([`  ${"x".repeat(27)}…`]);
    expect(render("```\nnever closed")).toEqual(["  never closed"]);
    expect(render("```\na\n```\n```\nb\n```\nc\n```\nd\n```")).toEqual(["  a", "", "  b", "c", "  d"]);
  });

  test("headings, quotes and rules", () => {
    expect(render("## Title ##\n> said\n***\n| no | table |")).toEqual(["Title", "│ said", "-".repeat(20), "| no | table |"]);
    expect(render("#no heading")).toEqual(["#no heading"]);
  });

  describe("a table", () => {
    const table =
      "as found:\n| File | Lines | 言語 |\n|:--|--:|:-:|\n| `a\\|b.ts` | 12 | TS |\n| 世界.md | 1234 | Markdown |\n\nthat's it";

    test("stands in columns as wide as they need", () => {
      expect(render(table, 40)).toEqual([
        "as found:",
        "File     Lines    言語",
        "-------  -----  --------",
        "a|b.ts      12     TS",
        "世界.md   1234  Markdown",
        "",
        "that's it",
      ]);
    });

    test("that is too wide is broken within its wide columns", () => {
      expect(render("a | b\n-|-\n1 | one word after the other\n2 | x | y", 14)).toEqual([
        "a  b",
        "-  -----------",
        "1  one word",
        "   after the",
        "   other",
        "2  x | y",
      ]);
    });

    test("whose columns have no room is told cell by cell", () => {
      const wide = "|  | Name | Text |\n|-|-|-|\n| first entry | some name | some text |\n| second entry || other text |";
      expect(render(wide, 20)).toEqual([
        "first entry",
        "Name: some name",
        "Text: some text",
        "",
        "second entry",
        "Text: other text",
      ]);
    });

    test("in code, and rules that don't fit the header, are as they were written", () => {
      expect(render("```\n| a | b |\n|---|---|\n```")).toEqual(["  | a | b |", "  |---|---|"]);
      expect(render("| a | b |\n|---|")).toEqual(["| a | b |", "|---|"]);
    });
  });

  test("wide characters count as two columns, and a word that is too long is broken", () => {
    expect(render("你好世界你好世界", 10)).toEqual(["你好世界你", "好世界"]);
    expect(render("https://example.com/a/very/long/path", 20)).toEqual(["https://example.com/", "a/very/long/path"]);
  });
});

describe("emphasis", () => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const italic = (text: string) => `\u001b[3m${text}\u001b[23m`;
  const cyan = (text: string) => `\u001b[36m${text}\u001b[39m`;

  test.each([
    ["a **b c** d", `a ${bold("b c")} d`],
    ["__b__ *i* _i_", `${bold("b")} ${italic("i")} ${italic("i")}`],
    ["`co*de*`", cyan("co*de*")],
    ["`` a`b ``", cyan("a`b")],
    ["~~no~~", "\u001b[9mno\u001b[29m"],
    ["[text](https://x/)", "\u001b[34mtext\u001b[39m\u001b[2m (https://x/)\u001b[22m"],
  ])("%s", (source, expected) => {
    expect(coloured(source)).toBe(expected);
  });

  test.each(["2 * 3 * 4", "snake_case_name", "a ** b ** c", "**", "`", "_ x _", "[a](b c)", "*"])("%s is none", (source) => {
    expect(coloured(source)).toBe(source);
  });
});

test("code in five languages and text from right to left stay what they are, but for what moves the cursor", () => {
  const code = {
    ts: "const all = `${a}` ** 2; // _x_",
    python: "def f(*args, **kwargs): return '__main__'",
    sh: "printf '\\e[31m%s' \"$x\" | sed 's/_/*/g'",
    rust: "fn f<'a>(x: &'a [u8]) -> Option<&'a u8> { x.get(0) }",
    html: "<b>*no*</b> <!-- [a](b) -->",
  };
  const blocks = Object.entries(code).map(([name, line]) => `\`\`\`${name}\n${line}\n\`\`\`\n`);
  const message = `five:\n${blocks.join("")}\nשלום **עולם**, مرحبا \u202e\u001b[2J`;
  const lines = renderEvent(someEvent("agent_message", { message }), testCanvas()).map((line) => line.trim());
  expect(lines.filter((line) => line !== "").slice(-6)).toEqual([...Object.values(code), "שלום עולם, مرحبا <U+202E>␛[2J"]);
});
