import { FerryError } from "../../base/errors.ts";
import { listAll } from "../../client/pages.ts";
import type { Tolerant } from "../../client/tolerant.ts";
import type { Provider } from "../../wire/resources.ts";
import type { Connection } from "./host/connect.ts";
import { theOneNamed } from "./named.ts";

export type KnownProvider = Tolerant<Provider>;

/**
 * The one of that id or name. The interface has no call to read one, so it is looked for in the list.
 * @throws FerryError not_found where there is none, usage where several match, with those that there are
 */
export async function findProvider(connection: Connection, given: string): Promise<KnownProvider> {
  const all = await listAll(connection.client.listProviders);
  const called = all.filter((provider) => provider.name === given);
  const about = (provider: KnownProvider) => [provider.name, provider.base_url];
  return theOneNamed(given, { all, called, about }, { one: "provider", several: "providers", noun: "provider" }, connection);
}

/** All that the key may see: one that may register repositories need not see the providers. Undefined where it mayn't. */
export async function visibleProviders({ client }: Connection): Promise<readonly KnownProvider[] | undefined> {
  try {
    return await listAll(client.listProviders);
  } catch (error) {
    if (error instanceof FerryError && [401, 403, 404].includes(error.status ?? 0)) return undefined;
    throw error;
  }
}
