import Sqlite from "libsql";
import { Kysely, SqliteDialect } from "kysely";
import { FerryError } from "../../base/errors.ts";
import type { Tables, Database } from "./schema.ts";

/** How long a statement waits for another process (a backup, a shell) that holds the file, in ms. */
const busyTimeout = 5000;

/**
 * Opens one SQLite file, made where there is none. A commit is on disk when it is acknowledged: WAL with synchronous=FULL
 * syncs the log at each commit (sqlite.org/pragma.html#pragma_synchronous).
 * @throws FerryError failure where the file can't be opened or is no database
 */
export function openSqlite(path: string): Database {
  const database = open(path);
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
}

function open(path: string): Sqlite.Database {
  try {
    const database = new Sqlite(path);
    for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", `busy_timeout = ${busyTimeout}`])
      database.prepare(`PRAGMA ${pragma}`).all();
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FerryError("failure", `the service's database can't be opened: ${path}: ${why}`, {
      hint: "move the file away to start with an empty one",
      cause,
    });
  }
}
