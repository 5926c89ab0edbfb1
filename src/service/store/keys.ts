import type { Scope } from "../../wire/values.ts";
import type { Database } from "./schema.ts";
import type { KeyStore } from "./store.ts";

export function makeKeyStore(db: Database): KeyStore {
  return {
    async insert(key) {
      await db
        .insertInto("api_keys")
        .values({ ...key, scopes: JSON.stringify(key.scopes) })
        .execute();
    },
    async findByHash(hash) {
      const row = await db.selectFrom("api_keys").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row === undefined ? undefined : { ...row, scopes: JSON.parse(row.scopes) as Scope[] };
    },
    async findUser(id) {
      return db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
    },
    async insertUser(user) {
      await db.insertInto("users").values(user).execute();
    },
  };
}
