import type { Scope } from "../../../wire/values.ts";
import type { Database } from "../schema.ts";
import type { LoginStore } from "./login-store.ts";

export function makeLoginStore(db: Database): LoginStore {
  return {
    async insertCode(code) {
      await db
        .insertInto("login_codes")
        .values({ ...code, scopes: JSON.stringify(code.scopes) })
        .execute();
    },
    async findCode(hash) {
      return withScopes(await db.selectFrom("login_codes").selectAll().where("hash", "=", hash).executeTakeFirst());
    },
    async redeemCode(hash, keyId) {
      const unused = db.updateTable("login_codes").set({ key_id: keyId }).where("hash", "=", hash).where("key_id", "is", null);
      return (await unused.returning("hash").executeTakeFirst()) !== undefined;
    },

    async insertDevice(device) {
      await db
        .insertInto("login_devices")
        .values({ ...device, scopes: JSON.stringify(device.scopes) })
        .execute();
    },
    async findDevice(hash) {
      return withScopes(await db.selectFrom("login_devices").selectAll().where("hash", "=", hash).executeTakeFirst());
    },
    async findDeviceByUserCode(userCode) {
      const known = db.selectFrom("login_devices").selectAll().where("user_code", "=", userCode);
      return withScopes(await known.executeTakeFirst());
    },
    async forgetDevices(kept) {
      const pending = db.selectFrom("login_devices").select("hash").where("state", "=", "pending");
      // One that is polled is waited for: who only asks for more can't push it out. Those that never were come last (null, in SQLite).
      const old = pending.orderBy("polled_at", "desc").orderBy("expires_at", "desc").limit(-1).offset(kept);
      await db.deleteFrom("login_devices").where("hash", "in", old).execute();
    },
    async moveDevice(hash, from, to) {
      const moved = db.updateTable("login_devices").set(to).where("hash", "=", hash).where("state", "=", from);
      return (await moved.returning("hash").executeTakeFirst()) !== undefined;
    },
    async notePoll(hash, poll) {
      await db.updateTable("login_devices").set(poll).where("hash", "=", hash).execute();
    },

    async insertSignIn(signIn) {
      await db.insertInto("portal_sign_ins").values(signIn).execute();
    },
    async findSignIn(hash) {
      return db.selectFrom("portal_sign_ins").selectAll().where("hash", "=", hash).executeTakeFirst();
    },
    async deleteSignIn(hash) {
      await db.deleteFrom("portal_sign_ins").where("hash", "=", hash).execute();
    },

    async endSignIns() {
      await db.deleteFrom("portal_sign_ins").execute();
    },

    async forget(before) {
      for (const table of ["login_codes", "login_devices", "portal_sign_ins"] as const)
        await db.deleteFrom(table).where("expires_at", "<", before).execute();
    },
  };
}

function withScopes<Row extends { readonly scopes: string }>(row: Row | undefined): (Row & { scopes: Scope[] }) | undefined;
function withScopes(row: { readonly scopes: string } | undefined): object | undefined {
  return row && { ...row, scopes: JSON.parse(row.scopes) as Scope[] };
}
