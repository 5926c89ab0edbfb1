import type { Repository } from "../../wire/resources.ts";
import { makeAccountStore } from "./identity/accounts.ts";
import { makeKeyStore } from "./identity/keys.ts";
import { makeLoginStore } from "./identity/logins.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/migrations.ts";
import { makeResourceStore } from "./resources.ts";
import { fromRow } from "./rows.ts";
import type { Database } from "./schema.ts";
import { makeSessionStore } from "./sessions.ts";
import type { ProviderRecord, Store } from "./store.ts";
import { makeTimelineStore } from "./timeline.ts";
import { inTransaction } from "./transaction.ts";

/**
 * The store over a SQL database, brought to the newest version. `newWorkspace` names the workspace of an empty one.
 * @throws FerryError failure where the database is of a newer ferry
 */
export async function openSqlStore(db: Database, newWorkspace: () => Store["workspace"]): Promise<Store> {
  await migrate(db, migrations);
  const workspace = await inTransaction(db, async (trx) => {
    const known = await trx.selectFrom("workspaces").selectAll().executeTakeFirst();
    return known ?? trx.insertInto("workspaces").values(newWorkspace()).returningAll().executeTakeFirstOrThrow();
  });
  return makeStore(db, workspace);
}

function makeStore(db: Database, workspace: Store["workspace"]): Store {
  return {
    workspace,
    keys: makeKeyStore(db),
    accounts: makeAccountStore(db),
    logins: makeLoginStore(db),
    providers: makeResourceStore<ProviderRecord>(db, "code_providers"),
    repositories: {
      ...makeResourceStore<Repository>(db, "repositories", repositoryBooleans),
      async findByPlace(cloneUrl) {
        const row = await db
          .selectFrom("repositories")
          .selectAll()
          .where("platform", "=", "git")
          .where("clone_url", "=", cloneUrl)
          .executeTakeFirst();
        return row && (fromRow(row, repositoryBooleans) as unknown as Repository);
      },
      async hasProvider(providerId) {
        const query = db.selectFrom("repositories").select("id").where("code_provider_id", "=", providerId).limit(1);
        return (await query.executeTakeFirst()) !== undefined;
      },
    },
    sessions: makeSessionStore(db),
    timeline: makeTimelineStore(db),
    transaction: (work) => inTransaction(db, (trx) => work(makeStore(trx, workspace))),
    close: () => db.destroy(),
  };
}

const repositoryBooleans = ["enabled", "webhooks_registered"];
