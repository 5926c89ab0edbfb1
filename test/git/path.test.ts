import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gitPath, pathBytes, showPath, unquotePath } from "../../src/git/path.ts";
import { fields, RawReader, readChanges } from "../../src/git/records.ts";
import { gitBytes, makeFolder, makeRepository } from "../support/git.ts";

describe("paths", () => {
  it("keep any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(pathBytes(gitPath(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("are unquoted as git quotes them", () => {
    const folder = makeFolder();
    const git = makeRepository(folder.path);
    const id = git("hash-object", "-w", "--stdin");
    const byte = fc.integer({ min: 1, max: 255 }).filter((value) => value !== 47);
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 20 }), (bytes) => {
        const name = Buffer.from([120, ...bytes]);
        const input = Buffer.concat([Buffer.from(`100644 blob ${id}\t`), name, Buffer.from("\0")]);
        const tree = gitBytes(folder.path, ["mktree", "-z"], { input }).toString().trim();
        const quoted = git("ls-tree", "--name-only", tree);
        expect(unquotePath(quoted)).toBe(gitPath(name));
      }),
      { numRuns: 60 },
    );
    folder.remove();
  });

  it("are shown harmless", () => {
    expect(showPath(gitPath(Buffer.from("ü\u001b[2J\nx")))).toBe("ü␛[2J x");
  });
});

describe("records", () => {
  it("are the same however the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string().map((text) => text.replaceAll("\0", ""))),
        fc.array(fc.integer({ min: 1, max: 7 })),
        async (texts, sizes) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\0`).join(""), "utf8");
          const got: string[] = [];
          for await (const batch of fields(cut(bytes, sizes))) got.push(...batch);
          expect(got).toEqual(texts.map((text) => gitPath(Buffer.from(text, "utf8"))));
        },
      ),
    );
  });

  it("that end in the middle are an error", async () => {
    await expect(async () => {
      for await (const batch of fields(cut(Buffer.from("a\0b"), []))) expect(batch).toEqual(["a"]);
    }).rejects.toMatchObject({ kind: "failure" });
  });

  it("of a raw diff, also where a path looks like a record", () => {
    const record = ":100644 000000 1111 0000 D";
    expect(readChanges(Buffer.from(`${record}\0:100644 x\0`))).toEqual([
      { oldMode: "100644", newMode: "000000", oldId: "1111", newId: "0000", status: "D", path: ":100644 x" },
    ]);
    const reader = new RawReader();
    expect(() => [":broken", "path"].map((field) => reader.take(field))).toThrow();
  });
});

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
    at += size;
  }
  yield bytes.subarray(at);
}
