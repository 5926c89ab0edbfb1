import { FerryError } from "../../../base/errors.ts";
import type { Database } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { AccountStore } from "./account-store.ts";

/** Each transaction begins with what it writes: another process may have the database, too, and a read could not be gone on from then. */
export function makeAccountStore(db: Database): AccountStore {
  return {
    add: (account) =>
      inTransaction(db, async (trx) => {
        const { user_id, name } = account;
        await trx.insertInto("users").values({ id: user_id, name, email: "" }).execute();
        await requireFree(trx, name, user_id);
        await trx.insertInto("accounts").values(account).execute();
      }),
    requireFree: (name) => requireFree(db, name),
    find: (name) => db.selectFrom("accounts").selectAll().where("name", "=", name).executeTakeFirst(),
    list: () => db.selectFrom("accounts").selectAll().orderBy("name").execute(),
    setPassword: (name, password) =>
      inTransaction(db, async (trx) => {
        const changed = trx.updateTable("accounts").set({ password }).where("name", "=", name).returning("user_id");
        const account = await changed.executeTakeFirst();
        if (account !== undefined) await trx.deleteFrom("portal_sign_ins").where("user_id", "=", account.user_id).execute();
        return account !== undefined;
      }),
    remove: (name, at) =>
      inTransaction(db, async (trx) => {
        const account = await trx.deleteFrom("accounts").where("name", "=", name).returning("user_id").executeTakeFirst();
        if (account === undefined) return false;
        const { user_id } = account;
        await trx.updateTable("users").set({ removed_at: at }).where("id", "=", user_id).execute();
        const keys = trx.updateTable("api_keys").set({ revoked_at: at }).where("user_id", "=", user_id);
        await keys.where("revoked_at", "is", null).execute();
        for (const table of ["portal_sign_ins", "login_codes", "login_devices"] as const)
          await trx.deleteFrom(table).where("user_id", "=", user_id).execute();
        return true;
      }),
  };
}

/** `own` is the user that the name is for, where there is one already. */
async function requireFree(db: Database, name: string, own = ""): Promise<void> {
  const account = db.selectFrom("accounts").select("user_id").where("name", "=", name);
  if ((await account.executeTakeFirst()) !== undefined)
    throw new FerryError("usage", `there is a user ${name} already`, {
      hint: `ferry service user password ${name} gives them another password`,
    });
  // Whose a key is is told by the name.
  const others = db.selectFrom("users").select("id").where("name", "=", name).where("removed_at", "is", null);
  if ((await others.where("id", "!=", own).executeTakeFirst()) !== undefined)
    throw new FerryError("usage", `${name} is what the service's own user is called`, { hint: "choose another name" });
}
