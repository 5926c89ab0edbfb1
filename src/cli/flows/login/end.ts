import { hostName, parseAddress, shown } from "../../../auth/address.ts";
import { revokeKey } from "../../../auth/oauth/revoke.ts";
import type { Credentials } from "../../../auth/credentials.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { shellWord } from "../../../base/words.ts";
import { configPath, type HostEntry } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { whileWaiting } from "../waiting.ts";
import { callerOf } from "./caller.ts";

/** How long the end of a key may take, in ms. */
const patience = 5000;

/**
 * Ends a key at the service that gave it. Gives why it couldn't, in words: then the key is still valid there. Unless `interrupt`
 * is given it is done also after Ctrl-C, which has ended every other call.
 */
export async function endKey(context: Context, url: string, key: string, interrupt?: AbortSignal): Promise<string | undefined> {
  if (!takesKeys(url)) return `the login's address in ${configPath(context.host)} is one that keys aren't sent to, ${shown(url)}`;
  const bound = AbortSignal.timeout(patience);
  const signal = interrupt === undefined ? bound : AbortSignal.any([bound, interrupt]);
  try {
    await whileWaiting(context, hostName(url), () => revokeKey(url, key, { ...callerOf(context), signal }));
    return undefined;
  } catch (error) {
    interrupt?.throwIfAborted();
    return bound.aborted ? `${new URL(url).host} did not answer within ${patience / 1000} seconds` : asFerryError(error).message;
  }
}

/** No login makes another one, but somebody's hand may. */
function takesKeys(url: string): boolean {
  try {
    return /^https?:\/\//u.test(url) && parseAddress(url) !== "";
  } catch (error) {
    if (error instanceof FerryError) return false;
    throw error;
  }
}

/** What a person can do about a login's key that is still valid, in words that name it where its id is known. */
export function wayToRevoke({ url, keyId }: Pick<HostEntry, "url" | "keyId">): string {
  const name = hostName(url);
  if (keyId === undefined) return `revoke it in the portal of ${name}`;
  return `revoke ${keyId} in the portal of ${name}, or with a login of the scope all:all there: ferry key revoke ${shellWord(keyId)} --host ${shellWord(name)}`;
}

/** What to add about a key that can't be got at now, though it may still be valid: "" of one that others may use, or that can't be named. */
export function orRevoke({ minted, keyId, url }: Pick<HostEntry, "minted" | "keyId" | "url">): string {
  return minted === true && keyId !== undefined ? `, and is valid: ${wayToRevoke({ url, keyId })}` : "";
}

/**
 * Ends a key that is stored, and is no login's: revokes it where ferry's login had it made, unless one of `kept` is the same, and
 * deletes it. Gives it, undefined where there was none, and why it could not be revoked.
 * @throws FerryError where its store can't be asked, or not be changed
 */
export async function endStored(
  context: Context,
  credentials: Credentials,
  place: HostEntry,
  kept: () => Promise<readonly (string | undefined)[]>,
): Promise<{ readonly key: string | undefined; readonly why: string | undefined }> {
  const key = await credentials.find(place);
  const revoked = place.minted === true && key !== undefined && !(await kept()).includes(key);
  const why = revoked ? await endKey(context, place.url, key) : undefined;
  // Also where none is found: what a kill left half written goes with it.
  await credentials.delete(place);
  return { key, why };
}
