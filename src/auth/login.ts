import { FerryError } from "../base/errors.ts";
import { cut, oneLine, textOf } from "../base/text.ts";
import { readCliInfo } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { readList } from "../client/pages.ts";
import type { Tolerant } from "../client/tolerant.ts";
import type { CliInfo } from "../wire/resources.ts";

/** The account of a key of which no service tells whose it is. */
export const namelessAccount = "key";

/** What a working key is good for, as far as the service tells. */
export interface Identity {
  /** The user's address or id; `namelessAccount` where the service doesn't tell who the key is. */
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
    await readList(client.listSessions, { limit: 1 });
  } catch (error) {
    // A key of another scope: the key itself was taken.
    if (!(error instanceof FerryError) || error.status !== 403) throw error;
  }
  return { account: namelessAccount, info: undefined };
}

function accountOf({ user, key }: Tolerant<CliInfo>): string {
  return [user?.email, user?.id, key?.id].map(nameOf).find((name) => name !== "") ?? namelessAccount;
}

/** The workspace's name, where the service tells one. */
export function workspaceOf({ info }: Identity): string | undefined {
  return nameOf(info?.workspace?.name) || undefined;
}

/** Its id, where the service tells one. */
export function workspaceIdOf({ info }: Identity): string | undefined {
  return nameOf(info?.workspace?.id) || undefined;
}

/** The key's id, where the service tells it. */
export function keyIdOf({ info }: Identity): string | undefined {
  return nameOf(info?.key?.id) || undefined;
}

/** What the key may do, where the service tells that: as a list, or as words parted by blanks (RFC 6749, 3.3). */
export function scopesOf({ info }: Identity): readonly string[] | undefined {
  const scopes: unknown = info?.key?.scopes;
  const words = typeof scopes === "string" ? scopes.split(/\s+/u) : scopes;
  return Array.isArray(words) ? words.map(nameOf).filter(Boolean) : undefined;
}

/** Characters of a name at most: of an address of e-mail (RFC 5321, 4.5.3.1). */
const longest = 320;

/** A service may send anything in the place of a name. */
function nameOf(value: unknown): string {
  return cut(oneLine(textOf(value)), longest);
}
