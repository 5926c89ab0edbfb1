import { hostName } from "../../../auth/address.ts";
import type { Credentials } from "../../../auth/credentials.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { type HostEntry, readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { endKey } from "./end.ts";

/** The login that a new one takes the place of. */
export interface Replaced {
  readonly entry: HostEntry;
  readonly key: string | undefined;
}

/**
 * To be asked before the new key is stored: where both are in the same place, the old one is gone then.
 * @throws FerryError auth where the keychain that shall take the new one is locked or silent
 */
export async function findReplaced(
  { host }: Context,
  credentials: Credentials,
  login: Pick<HostEntry, "url" | "account">,
): Promise<Replaced | undefined> {
  const { hosts } = await readConfig(host);
  const entry = hosts.find(({ url, account }) => url === login.url && account === login.account);
  if (entry === undefined) return undefined;
  try {
    return { entry, key: await credentials.find(entry, "at login") };
  } catch (error) {
    // Where the new key goes elsewhere this keeps nobody from logging in: endReplaced tells what stays in the keychain. Where it
    // goes there as well, nobody need wait, or be asked, a second time to learn the same.
    const there = (host.env["FERRY_CREDENTIAL_STORE"] ?? "") !== "file";
    if (there && error instanceof FerryError && (error.code === "locked" || error.code === "timeout")) throw error;
    return { entry, key: undefined };
  }
}

/** A key that nobody uses any more must lie nowhere, and not stay valid where this program had it made. */
export async function endReplaced(
  context: Context,
  credentials: Credentials,
  { entry, key }: Replaced,
  now: { readonly store: HostEntry["store"]; readonly key: string },
): Promise<void> {
  const { url, store } = entry;
  if (store !== now.store) {
    try {
      await credentials.delete(entry);
    } catch (error) {
      const { message } = asFerryError(error);
      await context.print.warn(`the key of the earlier login may still be in ${credentials.place(store)} (${message})`);
    }
  }
  if (entry.minted !== true || key === undefined || key === now.key) return;
  const why = await endKey(context, url, key);
  if (why !== undefined)
    await context.print.warn(`the key of the earlier login is still valid (${why}): revoke it in the portal of ${hostName(url)}`);
}
