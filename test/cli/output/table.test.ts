import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withIdLike } from "../../../src/base/ids.ts";
import { pick, redact } from "../../../src/cli/output/json.ts";
import { record } from "../../../src/cli/output/record.ts";
import { table, type Column } from "../../../src/cli/output/table.ts";
import { fit, pad, widthOf } from "../../../src/cli/output/width.ts";
import type { Output } from "../../../src/host/host.ts";

interface Row {
  readonly id: string;
  readonly name: string | null;
}

const columns: readonly Column<Row>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "NAME", value: ({ name }) => name },
];
const output = (isTTY: boolean, width = 80, color = false): Output => ({
  isTTY,
  columns: width,
  color,
  write: async () => undefined,
});

test("ids are as short as tells them apart on a terminal, and whole in a pipe", async () => {
  const ids: Column<{ id: string }>[] = [{ header: "ID", id: true, value: ({ id }) => id }];
  const shown = (isTTY: boolean, ...given: string[]) =>
    table(
      given.map((id) => ({ id })),
      ids,
      output(isTTY),
    );
  expect(await shown(true, "ses_4h2k9q7m3n5p8r2t", "ses_5nrnhymhgc9qr3sv")).toBe("ID\n4h2k9q7m\n5nrnhymh\n");
  // Ids that begin with the time (RFC 9562, 5.7), of the same minute; the same one twice needs no more.
  const [one, other] = ["0199c3a1-2b0c-7a4e-9f7b-0d3a6f1f0a11", "0199c3a1-2b0d-7a4e-9f7b-0d3a6f1f0a12"];
  expect(await shown(true, one, other, other)).toBe("ID\n0199c3a1-2b0c\n0199c3a1-2b0d\n0199c3a1-2b0d\n");
  expect(await shown(false, one)).toBe(`${one}\n`);
});

test("ids that commands take whole stay so, unless nothing would stand beside them", async () => {
  const columns: Column<Row>[] = [
    { header: "ID", id: "whole", value: ({ id }) => id },
    { header: "NAME", value: ({ name }) => name },
  ];
  const shown = async (width: number, ...ids: string[]) =>
    (
      await table(
        ids.map((id) => ({ id, name: "acme/shop-and-till" })),
        columns,
        output(true, width),
      )
    ).split("\n")[1];
  expect(await shown(80, "rep_4h2k9q7m3n5p8r2t")).toBe("rep_4h2k9q7m3n5p8r2t  acme/shop-and-till");
  expect(await shown(35, "rep_4h2k9q7m3n5p8r2t")).toBe("rep_4h2k9q7m3n5p8r2t  acme/shop-an…");
  const [one, other] = ["0199c3a1-2b0c-7a4e-9f7b-0d3a6f1f0a11", "0199c3a1-2b0d-7a4e-9f7b-0d3a6f1f0a12"];
  expect(await shown(60, one, other)).toBe(`${one}  acme/shop-and-till`);
  expect(await shown(40, one, other)).toBe("0199c3a1-2b0c  acme/shop-and-till");
});

test("ids that differ at their end alone leave the narrow terminal room for the rest, and are taken as they stand there", async () => {
  const columns: Column<Row>[] = [
    { header: "ID", id: true, value: ({ id }) => id },
    { header: "STATUS", whole: true, value: () => "closed" },
    { header: "TITLE", value: ({ name }) => name },
  ];
  const rows = ["ses_aaaaaaaaaaaaaaaaaaaaaaaaaaaa10001", "ses_aaaaaaaaaaaaaaaaaaaaaaaaaaaa20001", "ses_b"].map((id) => ({
    id,
    name: "a title",
  }));
  const lines = async (width: number) => (await table(rows, columns, output(true, width))).trimEnd().split("\n");
  const narrow = await lines(40);
  expect(narrow).toEqual([
    "ID              STATUS  TITLE",
    "aaaaaaaa…10001  closed  a title",
    "aaaaaaaa…20001  closed  a title",
    "b               closed  a title",
  ]);
  expect((await lines(80))[1]).toBe("aaaaaaaaaaaaaaaaaaaaaaaaaaaa1  closed  a title");
  for (const [at, row] of rows.entries()) {
    const typed = narrow[at + 1]?.split(" ")[0] ?? "";
    for (const given of [typed, `ses_${typed}`, typed.replace("…", "...")]) expect(withIdLike(rows, given)).toEqual([row]);
  }
  for (const nothing of ["…", "...", "…1"]) expect(withIdLike(rows, nothing)).toEqual([]);
});

describe("a table", () => {
  test("in a pipe: tab-separated, uncut, without a header, one line a row", async () => {
    const long = "x".repeat(200);
    expect(
      await table(
        [
          { id: "1", name: long },
          { id: "2", name: null },
          { id: "3\t", name: "a\nb\u001b[2J" },
        ],
        columns,
        output(false),
      ),
    ).toBe(`1\t${long}\n2\t\n3\ta b␛[2J\n`);
  });

  test("on a terminal: in columns, cut to its width, – for nothing", async () => {
    expect(
      await table(
        [
          { id: "1", name: "a long name that is cut" },
          { id: "22", name: null },
        ],
        columns,
        output(true, 20),
      ),
    ).toBe(["ID  NAME", "1   a long name tha…", "22  –", ""].join("\n"));
  });

  test("of more rows than a call takes arguments", async () => {
    const rows = Array.from({ length: 130_000 }, () => ({ id: "1", name: "a" }));
    expect((await table(rows, columns, output(true))).length).toBe("ID  NAME\n".length + rows.length * "1   a\n".length);
  });

  test.each([
    [40, ["ID        REPOSITO…  AGENT    TITLE", "abcdefgh  acme/a-l…  working  a title t…"]],
    [36, ["ID        AGENT    TITLE", "abcdefgh  working  a title that is …"]],
    [30, ["ID        AGENT    TITLE", "abcdefgh  working  a title th…"]],
    [26, ["ID        TITLE", "abcdefgh  a title that is…"]],
    [12, ["ID", "abcdefgh"]],
    [5, ["ID", "abcd…"]],
  ])("in %i columns: what can be spared goes first, the first column last", async (width, expected) => {
    const narrow = [
      { header: "ID", value: () => "abcdefgh" },
      { header: "REPOSITORY", spare: 2, value: () => "acme/a-long-name" },
      { header: "AGENT", spare: 1, value: () => "working" },
      { header: "TITLE", value: () => "a title that is long" },
    ];
    const lines = (await table([{}], narrow, output(true, width))).trimEnd().split("\n");
    expect(lines).toEqual(expected);
  });

  test("no row is wider than the terminal, whatever is in it", async () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 30 });
    const columns = fc.array(fc.record({ spare: fc.nat(3), cell }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(columns, fc.integer({ min: 2, max: 90 }), async (given, width) => {
        const shown = given.map(({ spare, cell: text }, at) => ({ header: `H${at}`, spare, value: () => text }));
        const lines = (await table([{}], shown, output(true, width))).split("\n");
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("wide and combining characters keep the columns in line", async () => {
    const text = await table(
      [
        { id: "日本", name: "x" },
        { id: "e\u0301", name: "y" },
      ],
      columns,
      output(true),
    );
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => widthOf(line.slice(0, line.search(/[NxyＮ]/u))))).toEqual([6, 6, 6]);
  });

  test("the header is bold where there is colour; nothing at all for no rows", async () => {
    expect(await table([{ id: "1", name: "n" }], columns, output(true, 80, true))).toMatch(/^\u001b\[1mID {2}NAME\u001b\[22m\n/u);
    expect(await table([], columns, output(true))).toBe("");
  });
});

test("a record has its values in one column, each on one line; on a terminal what is wider goes on below", async () => {
  const fields = [
    ["id", "1"],
    ["long name", "a\nb"],
    ["none", null],
    ["prompt", "look at all the things that there are"],
  ] as const;
  const start = "id:        1\nlong name: a b\nnone:      –\n";
  expect(await record(fields, output(false, 32))).toBe(`${start}prompt:    look at all the things that there are\n`);
  expect(await record(fields, output(true, 32))).toBe(`${start}prompt:    look at all the\n           things that there are\n`);
});

describe("prose in the last column is never cut", () => {
  const said = "what locks the agents in, and where a key is kept";
  const prose: readonly Column<Row>[] = [
    { header: "ID", value: ({ id }) => id },
    { header: "WHAT", prose: true, value: ({ name }) => name },
  ];
  const rows = [
    { id: "sandbox", name: said },
    { id: "none", name: null },
  ];

  test.each([
    [60, ["ID       WHAT", `sandbox  ${said}`, "none     –"]],
    [40, ["ID       WHAT", "sandbox  what locks the agents in, and", "         where a key is kept", "none     –"]],
    [32, ["ID", "sandbox", "    what locks the agents in,", "    and where a key is kept", "none"]],
  ])("in %i columns: beside the others where there is room, else under them", async (width, lines) => {
    expect((await table(rows, prose, output(true, width))).trimEnd().split("\n")).toEqual(lines);
  });

  test("one word that is wider than the room beside them goes under them whole", async () => {
    const word = `@acme/${"x".repeat(40)}`;
    const lines = await table([{ id: "sandbox", name: `take ${word}` }], prose, output(true, 50));
    expect(lines).toBe(`ID\nsandbox\n    take\n    ${word}\n`);
  });

  test("a command goes under them rather than being broken beside them", async () => {
    const remedy = "npm install -g @acme/claude-agent-acp";
    const row = { id: "sandbox", name: `not here: ${remedy}` };
    expect(await table([row], prose, output(true, 44))).toBe(`ID\nsandbox\n    not here:\n    ${remedy}\n`);
  });

  test("in a pipe it is a cell as any other", async () => {
    expect(await table(rows, prose, output(false))).toBe(`sandbox\t${said}\nnone\t\n`);
  });
});

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["日本語", 4, "日…"],
  ["👩‍👩‍👧x", 3, "👩‍👩‍👧x"],
  ["👩‍👩‍👧xy", 3, "👩‍👩‍👧…"],
  ["abc", 0, ""],
])("%s in %i columns is %s", (text, width, expected) => {
  expect(fit(text, width)).toBe(expected);
  expect(widthOf(pad(fit(text, width), width))).toBeLessThanOrEqual(Math.max(width, widthOf(expected)));
});

describe("JSON", () => {
  test("has no secrets, however deep, and all else as it came", () => {
    const resource = {
      metadata: { type: "t", token: "glpat-1" },
      webhook_secret: "s",
      token: "",
      list: [{ secret: "x", n: null }],
    };
    expect(redact(resource)).toEqual({
      metadata: { type: "t", token: "<redacted>" },
      webhook_secret: "<redacted>",
      token: "",
      list: [{ secret: "<redacted>", n: null }],
    });
  });

  test("--fields picks, in the order asked for; what is absent is null", () => {
    expect(pick([{ a: 1, b: 2 }, { a: 3 }], ["b", "a"], [])).toEqual([
      { b: 2, a: 1 },
      { b: null, a: 3 },
    ]);
    expect(pick({ a: 1 }, ["c"], ["c"])).toEqual({ c: null });
  });

  test("a name that is neither in the schema nor in the data is refused with those that are", () => {
    expect(() => pick([{ a: 1 }], ["x"], ["b"])).toThrow(
      expect.objectContaining({ kind: "usage", hint: "the fields are b, a" }) as Error,
    );
    expect(pick([], ["b"], ["b"])).toEqual([]);
    expect(() => pick([], ["x"], ["b"])).toThrow("there is no field x");
  });
});
