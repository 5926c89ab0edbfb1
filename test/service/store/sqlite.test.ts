import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "../../../src/service/store/sqlite.ts";

test.each(["made", "there already"])("the database's files are for nobody else, with whatever umask (%s)", async (state) => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-sqlite-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "ferry.db");
  if (state === "there already") await writeFile(path, "", { mode: 0o644 });
  const database = openSqlite(path);
  await database.schema.createTable("things").addColumn("id", "text").execute();
  const names = await readdir(folder);
  const modes = await Promise.all(names.map(async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]));
  await database.destroy();
  expect(modes.sort()).toEqual([
    ["ferry.db", "600"],
    ["ferry.db-shm", "600"],
    ["ferry.db-wal", "600"],
  ]);
});

test("a database that can't be opened is told with its path", () => {
  expect(() => openSqlite("/dev/null/ferry.db")).toThrow(/^the service's database can't be opened: \/dev\/null\/ferry.db: /);
});
