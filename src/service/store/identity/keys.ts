import type { Scope } from "../../../wire/values.ts";
import { olderThan, readPage } from "../pages.ts";
import type { Database, KeyRow } from "../schema.ts";
import type { KeptKey, KeyStore } from "../store.ts";

export function makeKeyStore(db: Database): KeyStore {
  return {
    async insert(key) {
      await db
        .insertInto("api_keys")
        .values({ ...key, scopes: JSON.stringify(key.scopes) })
        .execute();
    },
    async find(id) {
      return toKey(await kept(db).where("id", "=", id).executeTakeFirst());
    },
    async findByHash(hash) {
      return toKey(await kept(db).where("hash", "=", hash).executeTakeFirst());
    },
    list: ({ user_id, ...query }) =>
      readPage<KeptKey>(query, async (limit, behind) => {
        let rows = kept(db).orderBy("created_at", "desc").orderBy("id", "desc").limit(limit);
        if (user_id !== undefined) rows = rows.where("user_id", "=", user_id);
        if (behind !== undefined) rows = rows.where(olderThan(behind));
        return (await rows.execute()).map((row) => toKey(row));
      }),
    async revoke(id, at) {
      const unrevoked = db.updateTable("api_keys").set({ revoked_at: at }).where("id", "=", id).where("revoked_at", "is", null);
      await unrevoked.execute();
      return toKey(await kept(db).where("id", "=", id).executeTakeFirst());
    },
    async findUser(id) {
      const present = db.selectFrom("users").select(["id", "name", "email"]).where("removed_at", "is", null);
      return present.where("id", "=", id).executeTakeFirst();
    },
    async insertUser(user) {
      await db.insertInto("users").values(user).execute();
    },
  };
}

function kept(db: Database) {
  return db
    .selectFrom("api_keys")
    .selectAll("api_keys")
    .select((one) => one.selectFrom("users").select("users.name").whereRef("users.id", "=", "api_keys.user_id").as("user_name"));
}

interface Row extends KeyRow {
  readonly user_name: string | null;
}

function toKey(row: Row): KeptKey;
function toKey(row: Row | undefined): KeptKey | undefined;
function toKey(row: Row | undefined): KeptKey | undefined {
  return row && { ...row, user_name: row.user_name ?? "", scopes: JSON.parse(row.scopes) as Scope[] };
}
