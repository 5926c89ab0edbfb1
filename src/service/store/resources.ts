import type { Kysely } from "kysely";
import { olderThan, readPage, type Position } from "./pages.ts";
import { fromRow, toRow, type Booleans } from "./rows.ts";
import type { Database } from "./schema.ts";
import type { ResourceStore } from "./store.ts";

/** What the tables of plain resources have in common, all that this file's queries name. */
type Resources = Kysely<{ resource: Position }>;

/** A plain resource: a table whose columns are the record's fields. */
export function makeResourceStore<T extends Position>(
  database: Database,
  tableName: "code_providers" | "repositories",
  booleans: Booleans = [],
): ResourceStore<T> {
  // Kysely can't follow a table that is a parameter; the record types say what the columns are.
  const db = database as unknown as Resources;
  const table = tableName as "resource";
  const record = (row: Position | undefined) => (row === undefined ? undefined : (fromRow(row, booleans) as unknown as T));

  return {
    async insert(added) {
      await db
        .insertInto(table)
        .values(toRow(added) as unknown as Position)
        .execute();
    },
    async find(id) {
      return record(await db.selectFrom(table).selectAll().where("id", "=", id).executeTakeFirst());
    },
    list: (query) =>
      readPage<T>(query, async (limit, behind) => {
        let rows = db.selectFrom(table).selectAll().orderBy("created_at", "desc").orderBy("id", "desc").limit(limit);
        if (behind !== undefined) rows = rows.where(olderThan(behind));
        return (await rows.execute()).map((row) => fromRow(row, booleans) as unknown as T);
      }),
    async update(id, change) {
      return record(await db.updateTable(table).set(toRow(change)).where("id", "=", id).returningAll().executeTakeFirst());
    },
    async delete(id) {
      return record(await db.deleteFrom(table).where("id", "=", id).returningAll().executeTakeFirst());
    },
  };
}
