import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { readCliInfo } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import type { Tolerant } from "../client/tolerant.ts";
import type { CliInfo } from "../wire/resources.ts";

/** What a working key is good for, as far as the service tells. */
export interface Identity {
  /** The user's address or id; `key` where the service doesn't tell who the key is. */
  readonly account: string;
  readonly info: Tolerant<CliInfo> | undefined;
}

/**
 * Whether the service takes the key, found out by the cheapest call that it has.
 * @throws FerryError auth where it refuses it
 */
export async function identify(client: Client): Promise<Identity> {
  const info = await readCliInfo(client.readCli);
  if (info !== undefined) return { account: accountOf(info), info };
  try {
    await client.listSessions({ query: { limit: 1 } });
  } catch (error) {
    // A key of another scope, or a parameter that this service doesn't know: the key itself was taken.
    if (!(error instanceof FerryError) || ![400, 403, 422].includes(error.status ?? 0)) throw error;
  }
  return { account: "key", info: undefined };
}

function accountOf({ user, key }: Tolerant<CliInfo>): string {
  return oneLine(user?.email || user?.id || key?.id || "key");
}
