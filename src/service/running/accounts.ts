import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { AccountStore } from "../store/identity/account-store.ts";
import { openSqlStore } from "../store/sql-store.ts";
import { databaseHint, openSqlite } from "../store/sqlite.ts";
import { newWorkspace } from "./local-user.ts";

/**
 * The accounts of a data folder, which is made where it is missing, whether or not its service runs: that reads them anew each time. The
 * database is open during a call only, which throws a FerryError failure where it can't be used.
 */
export function accountsIn(data: string, host: Pick<Host, "files" | "random">): AccountStore {
  async function open<T>(work: (accounts: AccountStore) => Promise<T>): Promise<T> {
    await host.files.makeFolder(data, 0o700);
    const path = join(data, "ferry.db");
    const database = openSqlite(path);
    try {
      return await work((await openSqlStore(database, () => newWorkspace(host))).accounts);
    } catch (cause) {
      if (cause instanceof FerryError || !(cause instanceof Error)) throw cause;
      throw new FerryError("failure", `the service's database can't be used: ${path}: ${cause.message}`, {
        hint: databaseHint(cause),
        cause,
      });
    } finally {
      await database.destroy();
    }
  }
  return {
    requireFree: (name) => open((accounts) => accounts.requireFree(name)),
    add: (account) => open((accounts) => accounts.add(account)),
    find: (name) => open((accounts) => accounts.find(name)),
    list: () => open((accounts) => accounts.list()),
    setPassword: (name, password) => open((accounts) => accounts.setPassword(name, password)),
    remove: (name, at) => open((accounts) => accounts.remove(name, at)),
  };
}
