import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeSpool } from "../../src/host/spool.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "spool-"))));
afterEach(() => rm(folder, { recursive: true }));

test("what was put aside is there at its places, and has no name", async () => {
  const spool = await makeSpool(folder);
  await spool.append(Buffer.from("hello "));
  await spool.append(Buffer.from("world"));
  const read = await spool.read([
    { start: 6, end: 11 },
    { start: 0, end: 5 },
    { start: 3, end: 3 },
  ]);
  expect(read.map(String)).toEqual(["world", "hello", ""]);
  expect(await readdir(folder)).toEqual([]);
  await expect(spool.read([{ start: 6, end: 12 }])).rejects.toBeInstanceOf(RangeError);
  await spool.close();
});

test("a folder that takes none is named", async () => {
  await expect(makeSpool(join(folder, "absent"))).rejects.toMatchObject({ kind: "failure", message: /absent/u });
  expect((await stat(folder)).isDirectory()).toBe(true);
});

test("what a kill left goes after a day, and nothing else", async () => {
  for (const name of ["ferry-spool-old", "ferry-spool-new", "another-old"]) {
    await writeFile(join(folder, name), "x");
    const days = name.endsWith("old") ? 2 : 0.5;
    const then = new Date(Date.now() - days * 86_400_000);
    await utimes(join(folder, name), then, then);
  }
  const spool = await makeSpool(folder);
  await spool.close();
  expect((await readdir(folder)).sort()).toEqual(["another-old", "ferry-spool-new"]);
});
