import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
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
