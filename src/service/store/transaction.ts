import type { Database } from "./schema.ts";

/** Does the work in a transaction of its own, or in the one that is open already: engines don't nest them. */
export async function inTransaction<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
