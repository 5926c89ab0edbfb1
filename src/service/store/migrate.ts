import { sql } from "kysely";
import { FerryError } from "../../base/errors.ts";
import type { Migration } from "./migrations/migration.ts";
import type { Database } from "./schema.ts";

/**
 * Brings the database to the newest version, all in one transaction: a start that dies half way leaves the old one.
 * @throws FerryError failure where a newer ferry wrote it
 */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.schema
      .createTable("migrations")
      .ifNotExists()
      .addColumn("version", "integer", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .execute();
    const done = await trx.selectFrom("migrations").select("version").execute();
    const version = Math.max(0, ...done.map((row) => row.version));
    if (version > migrations.length)
      throw new FerryError("failure", `the service's database has version ${version}, this ferry knows ${migrations.length}`, {
        hint: "run the newer ferry that wrote it, or choose another data folder with --data",
      });
    for (const [offset, { name, statements }] of migrations.slice(version).entries()) {
      for (const statement of statements) await sql.raw(statement).execute(trx);
      await trx
        .insertInto("migrations")
        .values({ version: version + offset + 1, name })
        .execute();
    }
  });
}
