import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { databaseHint, openSqlite } from "../../../src/service/store/sqlite.ts";

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

test("a disk that is full in a transaction is told as that, and nothing of it is there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-sqlite-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const database = openSqlite(join(folder, "ferry.db"));
  onTestFinished(() => database.destroy());
  await database.schema.createTable("things").addColumn("id", "text").execute();
  // As many pages as there are: the engine says of one more what it says of a disk without room.
  await sql`PRAGMA max_page_count = 1`.execute(database);
  const filling = database.transaction().execute((trx) => sql`INSERT INTO things VALUES (zeroblob(1000000))`.execute(trx));
  const error = await filling.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ message: "database or disk is full" });
  expect(databaseHint(error)).toMatch(/is the disk full/u);
  expect((await sql`SELECT count(*) AS n FROM things`.execute(database)).rows).toEqual([{ n: 0 }]);
});

test.each([
  ["SQLITE_NOTADB", /move the file away/u],
  ["SQLITE_CORRUPT_VTAB", /move the file away/u],
  ["SQLITE_IOERR_WRITE", /disk full/u],
  ["EROFS", /written there/u],
  ["SQLITE_BUSY", undefined],
])("only what is no database is to be moved away: %s", (code, hint) => {
  const found = databaseHint(Object.assign(new Error("x"), { code }));
  if (hint === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(hint);
});
