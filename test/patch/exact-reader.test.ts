import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyBinary } from "../../src/patch/engine/exact/binary.ts";
import { Cursor, Unreadable } from "../../src/patch/engine/exact/cursor.ts";
import { applyDelta } from "../../src/patch/engine/exact/delta.ts";
import { readHeader } from "../../src/patch/engine/exact/header.ts";
import { applyHunks } from "../../src/patch/engine/exact/hunks.ts";
import { readNames, readSideName, unquoteName } from "../../src/patch/engine/exact/names.ts";
import { base85 } from "../support/base85.ts";

const cursor = (text: string | Buffer) => new Cursor(Buffer.from(text as string, "latin1"));
const hunks = (old: string, patch: string) => applyHunks(cursor(patch), Buffer.from(old, "latin1")).toString("latin1");
const [one, two] = ["1".repeat(40), "2".repeat(40)];

describe("hunks, without fuzz and without offset", () => {
  const old = "a\nb\nc\nd\ne\nf\ng\n";
  it.each([
    ["a line in the middle", "@@ -2,3 +2,3 @@ section\n b\n-c\n+C\n d\n", "a\nb\nC\nd\ne\nf\ng\n"],
    ["two of them", "@@ -1,2 +1,1 @@\n-a\n b\n@@ -6,2 +5,3 @@\n f\n+F\n g\n", "b\nc\nd\ne\nf\nF\ng\n"],
    ["an insertion without context", "@@ -3,0 +4,1 @@\n+x\n", "a\nb\nc\nx\nd\ne\nf\ng\n"],
    ["all of it goes", "@@ -1,7 +0,0 @@\n-a\n-b\n-c\n-d\n-e\n-f\n-g\n", ""],
    ["the line break at the end goes", "@@ -7 +7 @@\n-g\n+g\n\\ No newline at end of file\n", "a\nb\nc\nd\ne\nf\ng"],
  ])("%s", (_, patch, made) => {
    expect(hunks(old, patch)).toBe(made);
  });

  it.each([
    ["a line further down", "@@ -3,1 +3,1 @@\n-d\n+D\n"],
    ["another new line number", "@@ -2,1 +3,1 @@\n-b\n+B\n"],
    ["context that isn't there", "@@ -1,2 +1,2 @@\n A\n-b\n+B\n"],
    ["fewer lines than it says", "@@ -1,3 +1,3 @@\n-a\n+A\n b\n"],
    ["an empty line for context", "@@ -1,2 +1,2 @@\n-a\n+A\n\n"],
    ["hunks out of order", "@@ -5 +5 @@\n-e\n+E\n@@ -1 +1 @@\n-a\n+A\n"],
    ["beyond the end", "@@ -8 +8 @@\n-h\n+H\n"],
    ["numbers of 2^63", "@@ -9223372036854775808,1 +1,1 @@\n-a\n+A\n"],
    ["a negative number", "@@ --1,1 +1,1 @@\n-a\n+A\n"],
    ["an end in the middle", "@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n"],
    ["cut off", "@@ -1 +1 @@\n-a\n+A"],
    ["with a byte more", "@@ -1 +1 @@\n-a \n+A\n"],
  ])("nothing of %s", (_, patch) => {
    expect(() => hunks(old, patch)).toThrow(Unreadable);
  });

  it("no line break at the end, on either side", () => {
    expect(hunks("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")).toBe("a\n");
    expect(hunks("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n")).toBe("A\nb");
    expect(() => hunks("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n")).toThrow(Unreadable);
    expect(hunks("a\r\nb\rc\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\rc\n")).toBe("a\nb\rc\n");
  });
});

describe("the lines before the content", () => {
  const read = (text: string) => readHeader(cursor(text), 40);

  it("of each kind", () => {
    expect(read(`diff --git a/x y b/x y\nindex ${one}..${two} 100644\n--- a/x y\t\n+++ b/x y\t\n@@`)).toMatchObject({
      kind: "change",
      from: "x y",
      oldMode: "100644",
      newMode: "100644",
      hasHunks: true,
    });
    expect(
      read(`diff --git "a/\\303\\274" "b/\\303\\274"\nnew file mode 120000\nindex ${"0".repeat(40)}..${two}\n`),
    ).toMatchObject({
      kind: "add",
      to: "\u00c3\u00bc",
      oldMode: "000000",
      newMode: "120000",
    });
    expect(read("diff --git a/a b b/c b/d\nsimilarity index 100%\nrename from a b\nrename to c b/d\n")).toMatchObject({
      kind: "rename",
      from: "a b",
      to: "c b/d",
      ids: undefined,
    });
    expect(read("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")).toMatchObject({ newMode: "100755", ids: undefined });
  });

  it.each([
    ["short ids", "diff --git a/x b/x\nindex 1111111..2222222 100644\n"],
    ["two names", `diff --git a/x b/y\nindex ${one}..${two} 100644\n`],
    ["other names below", `diff --git a/x b/x\nindex ${one}..${two} 100644\n--- a/y\n+++ b/x\n@@`],
    ["no prefix", `diff --git x x\nindex ${one}..${two} 100644\n`],
    ["a mode that git doesn't make", "diff --git a/x b/x\nold mode 100644\nnew mode 100777\n"],
    ["a mode of nothing", `diff --git a/x b/x\nnew file mode 000000\nindex ${one}..${two}\n`],
    ["an open quote", `diff --git "a/x b/x\nindex ${one}..${two} 100644\n`],
    ["a rename to another name", "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to c\n"],
    [
      "a new file that was renamed",
      "diff --git a/a b/b\nnew file mode 100644\nsimilarity index 9%\nrename from a\nrename to b\n",
    ],
    ["two modes", `diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex ${one}..${two} 100644\n`],
    ["an empty name", `diff --git a/ b/\nindex ${one}..${two} 100644\n`],
  ])("nothing of %s", (_, text) => {
    expect(() => read(text)).toThrow(Unreadable);
  });

  it("names of any bytes are read as git writes them", () => {
    const name = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0)).toString("latin1"));
    fc.assert(
      fc.property(name, fc.boolean(), (text, isRaw) => {
        fc.pre(text.length > 0);
        const quoted = quote(`a/${text}`, isRaw);
        expect(unquoteName(quoted)).toBe(`a/${text}`);
        expect(readSideName(quoted, "a/")).toBe(text);
        expect(readNames(`${quoted} ${quote(`b/${text}`, isRaw)}`, undefined)).toEqual({ from: text, to: text });
      }),
      { numRuns: 2000 },
    );
  });
});

/** quote.c: what is neither printable nor, with core.quotePath off, above 127. */
function quote(text: string, isRaw: boolean): string {
  const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\", "\x07": "\\a" };
  const inner = Array.from(text)
    .map((letter) => {
      const code = letter.charCodeAt(0);
      if (escapes[letter] !== undefined) return escapes[letter];
      return code < 0x20 || code === 0x7f || (code > 0x7f && !isRaw) ? `\\${code.toString(8).padStart(3, "0")}` : letter;
    })
    .join("");
  return inner === text ? text : `"${inner}"`;
}

describe("binary patches", () => {
  const literal = (content: Buffer) => `GIT binary patch\nliteral ${content.length}\n${base85(deflateSync(content))}\n`;
  const read = (patch: string, limit = 1000) => applyBinary(cursor(patch), Buffer.alloc(0), limit);

  it("of any content are read as git writes them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(read(literal(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  const zeros = Buffer.alloc(5000);
  it.each([
    ["more than the limit", `GIT binary patch\nliteral 5000\n${base85(deflateSync(zeros))}\n`],
    ["more than it says", `GIT binary patch\nliteral 10\n${base85(deflateSync(zeros))}\n`],
    ["less than it says", `GIT binary patch\nliteral 900\n${base85(deflateSync(Buffer.alloc(10)))}\n`],
    ["a stream that is cut off", `GIT binary patch\nliteral 10\n${base85(deflateSync(Buffer.alloc(10)).subarray(0, -3))}\n`],
    [
      "bytes behind the stream",
      `GIT binary patch\nliteral 10\n${base85(Buffer.concat([deflateSync(Buffer.alloc(10)), zeros]))}\n`,
    ],
    ["no zlib", `GIT binary patch\nliteral 10\n${base85(Buffer.alloc(10, 1))}\n`],
    ["a line that is too short", "GIT binary patch\nliteral 1\nBabcd\n\n"],
    ["a word above 2^32", "GIT binary patch\nliteral 4\nD~~~~~\n\n"],
    ["a letter outside of the alphabet", "GIT binary patch\nliteral 4\nDab,de\n\n"],
    ["no empty line", "GIT binary patch\nliteral 0\nHcmV?d00001\n"],
    ["a size of 2^63", "GIT binary patch\nliteral 9223372036854775808\nHcmV?d00001\n\n"],
  ])("nothing of %s", (_, patch) => {
    expect(() => read(patch)).toThrow(Unreadable);
  });

  it("deltas: copies and bytes of their own, and nothing that reaches outside", () => {
    const old = Buffer.from("0123456789");
    expect(applyDelta(old, Buffer.from([10, 6, 0x91, 2, 4, 2, 120, 121]), 100).toString()).toBe("2345xy");
    for (const bad of [
      [9, 4, 0x91, 2, 4],
      [10, 4, 0x91, 8, 4],
      [10, 3, 0x91, 2, 4],
      [10, 5, 0x91, 2, 4],
      [10, 4, 0],
      [10, 4, 9, 1],
      [10, 101],
      [10],
      [],
      Array.from({ length: 40 }, () => 0x80),
    ])
      expect(() => applyDelta(old, Buffer.from(bad), 100)).toThrow(Unreadable);
  });
});

describe("whatever the bytes", () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      "diff --git a/x b/x\n",
      `index ${one}..${two} 100644\n`,
      "--- a/x\n",
      "+++ b/x\n",
      "@@ -1 +1 @@\n",
      "-a\n",
      "+b\n",
    ),
    fc.constantFrom(
      "GIT binary patch\n",
      "literal 3\n",
      "delta 5\n",
      "\n",
      "rename from x\n",
      "rename to y\n",
      "similarity index 1%\n",
    ),
    fc.constantFrom(
      "old mode 100644\n",
      "new mode 100755\n",
      "deleted file mode 100644\n",
      "new file mode 100644\n",
      "\\ No newline\n",
    ),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );

  it("a reader says Unreadable or gives an answer, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.uint8Array({ maxLength: 30 }), (parts, old) => {
        const text = parts.join("");
        for (const act of [
          () => readHeader(cursor(text), 40),
          () => applyHunks(cursor(text), Buffer.from(old)),
          () => applyBinary(cursor(text), Buffer.from(old), 1000),
          () => applyDelta(Buffer.from(old), Buffer.from(text, "latin1"), 1000),
        ])
          try {
            act();
          } catch (error) {
            if (!(error instanceof Unreadable)) throw error;
          }
      }),
      { numRuns: 5000 },
    );
  });
});
