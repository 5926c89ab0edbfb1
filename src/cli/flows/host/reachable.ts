import { FerryError } from "../../../base/errors.ts";
import type { Connection } from "./connect.ts";

/**
 * Before it is said that a service lacks something: one that is down, that refuses the key, or whose gateway sends all calls to a page
 * to sign in, may have it.
 * @throws FerryError what the service says to the cheapest read of the seed; not that the key mayn't do that
 */
export async function requireReachable({ client }: Connection): Promise<void> {
  await client.listSessions({}).catch((error: unknown) => {
    if (!(error instanceof FerryError) || error.status !== 403) throw error;
  });
}
