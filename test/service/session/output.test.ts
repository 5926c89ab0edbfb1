import fc from "fast-check";
import { expect, test } from "vitest";
import { sections } from "../../../src/service/session/series/output.ts";

async function* inPieces(text: string, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of cuts) {
    yield Buffer.from(text.slice(at, at + size));
    at += size;
  }
  yield Buffer.from(text.slice(at));
}

async function cutUp(text: string, firstLines: readonly string[], cuts: readonly number[] = []): Promise<string[]> {
  const found = firstLines.map(() => "");
  for await (const { section, bytes } of sections(inPieces(text, cuts), firstLines))
    found[section] = (found[section] ?? "") + bytes.toString();
  return found;
}

test("sections are found wherever the stream is cut", async () => {
  // Bodies made of the first lines' own letters come as near to one as they can.
  const body = fc
    .array(fc.constantFrom("A", "AB", "ABC", " ABC0", "ABC", ""), { maxLength: 8 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
      async (bodies, cuts) => {
        const firstLines = bodies.map((_, at) => `ABC${at}`);
        const parts = bodies.map((text, at) => `${firstLines[at] ?? ""}\n${text}`);
        expect(await cutUp(parts.join(""), firstLines, cuts)).toEqual(parts);
      },
    ),
  );
});

test("one that doesn't come, and something before the first, are errors", async () => {
  await expect(cutUp("one\nx\n", ["one", "two"])).rejects.toThrow(/fewer/u);
  await expect(cutUp("x\none\n", ["one"])).rejects.toThrow(/something else/u);
  await expect(cutUp("two\none\n", ["one", "two"])).rejects.toThrow();
  expect(await cutUp("", [])).toEqual([]);
});
