import type { Session } from "../../wire/resources.ts";
import { olderThan, readPage } from "./pages.ts";
import { fromRow, toRow } from "./rows.ts";
import type { Database, SessionRow } from "./schema.ts";
import type { SessionStore } from "./store.ts";

export function makeSessionStore(db: Database): SessionStore {
  return {
    async insert(session) {
      const row = { ...columns(session), revision: 0, lease_owner: null, lease_until: 0 };
      await db
        .insertInto("sessions")
        .values(row as unknown as SessionRow)
        .execute();
    },
    async find(id) {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toSession(row);
    },
    list: ({ status, user_id, ...page }) =>
      readPage(page, async (limit, behind) => {
        let query = db.selectFrom("sessions").selectAll().orderBy("created_at", "desc").orderBy("id", "desc").limit(limit);
        if (status !== undefined) query = query.where("status", "=", status);
        if (user_id !== undefined) query = query.where("user_id", "=", user_id);
        if (behind !== undefined) query = query.where(olderThan(behind));
        return (await query.execute()).map(toSession);
      }),
    async update(id, change) {
      const row = await db.updateTable("sessions").set(columns(change)).where("id", "=", id).returningAll().executeTakeFirst();
      return row && toSession(row);
    },
    async listActive(repositoryId) {
      let query = db.selectFrom("sessions").selectAll().where("status", "=", "active").orderBy("created_at").orderBy("id");
      if (repositoryId !== undefined) query = query.where("repository_id", "=", repositoryId);
      return (await query.execute()).map(toSession);
    },
    async lease(id, owner, until, now) {
      const { numUpdatedRows } = await db
        .updateTable("sessions")
        .set({ lease_owner: owner, lease_until: until })
        .where("id", "=", id)
        .where((eb) => eb.or([eb("lease_owner", "is", null), eb("lease_owner", "=", owner), eb("lease_until", "<=", now)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(id, owner) {
      await db
        .updateTable("sessions")
        .set({ lease_owner: null, lease_until: 0 })
        .where("id", "=", id)
        .where("lease_owner", "=", owner)
        .execute();
    },
  };
}

function columns({ usage, ...fields }: Partial<Session>) {
  return toRow(usage === undefined ? fields : { ...fields, usage: JSON.stringify(usage) });
}

function toSession({ revision: _, lease_owner: __, lease_until: ___, usage, ...columns }: SessionRow): Session {
  const session = fromRow(columns, ["auto_commit"]) as unknown as Session;
  return usage === null ? session : { ...session, usage: JSON.parse(usage) as NonNullable<Session["usage"]> };
}
