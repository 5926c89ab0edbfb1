import { chmodSync, closeSync, openSync } from "node:fs";
import Sqlite from "libsql";
import { type Driver, Kysely, SqliteDialect } from "kysely";
import { FerryError } from "../../base/errors.ts";
import type { Tables, Database } from "./schema.ts";

/** How long a statement waits for another process (a backup, a shell) that holds the file, in ms. */
const busyTimeout = 5000;

/**
 * Opens one SQLite file, made where there is none, for nobody but the service's user. A commit is on disk when it is acknowledged: WAL with synchronous=FULL
 * syncs the log at each commit (sqlite.org/pragma.html#pragma_synchronous).
 * @throws FerryError failure where the file can't be opened or is no database
 */
export function openSqlite(path: string): Database {
  const database = open(path);
  return new Kysely<Tables>({ dialect: new Dialect({ database }) });
}

/**
 * A full disk or one that fails ends a transaction by itself; a ROLLBACK then is an error that hides why
 * (sqlite.org/lang_transaction.html, 3).
 */
class Dialect extends SqliteDialect {
  override createDriver(): Driver {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = async (connection) => {
      await rollback(connection).catch((error: unknown) => {
        if (!(error instanceof Error && error.message.includes("no transaction is active"))) throw error;
      });
    };
    return driver;
  }
}

/** SQLite's own name for a database without a file. */
const inMemory = ":memory:";

function open(path: string): Sqlite.Database {
  try {
    if (path !== inMemory) shut(path);
    const database = new Sqlite(path);
    for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", `busy_timeout = ${busyTimeout}`])
      database.prepare(`PRAGMA ${pragma}`).all();
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FerryError("failure", `the service's database can't be opened: ${path}: ${why}`, {
      hint: databaseHint(cause),
      cause,
    });
  }
}

/** What helps against what SQLite says; undefined where only the text does. A file is called broken by what says so alone. */
export function databaseHint(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (/^SQLITE_(?:CORRUPT|NOTADB)/u.test(code)) return "move the file away to start with an empty one";
  if (/^(?:SQLITE_FULL|SQLITE_IOERR|ENOSPC|EDQUOT)/u.test(code)) return "is the disk full? make room, and try again";
  return /^(?:SQLITE_(?:READONLY|CANTOPEN|PERM)|EROFS|EACCES)/u.test(code) ? "can it be written there?" : undefined;
}

/** SQLite gives the files beside it (-wal, -shm) the same mode, and would itself make it as the umask has it. */
function shut(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}
