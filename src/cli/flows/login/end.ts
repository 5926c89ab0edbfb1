import { revokeKey } from "../../../auth/oauth/revoke.ts";
import { asFerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { callerOf } from "./caller.ts";

/** How long the end of a key may take, in ms. */
const patience = 5000;

/**
 * Ends a key at the service that gave it. Gives why it couldn't, in words: then the key is still valid there. Unless `interrupt`
 * is given it is done also after Ctrl-C, which has ended every other call.
 */
export async function endKey(context: Context, url: string, key: string, interrupt?: AbortSignal): Promise<string | undefined> {
  const bound = AbortSignal.timeout(patience);
  const signal = interrupt === undefined ? bound : AbortSignal.any([bound, interrupt]);
  try {
    await revokeKey(url, key, { ...callerOf(context), signal });
    return undefined;
  } catch (error) {
    interrupt?.throwIfAborted();
    return bound.aborted ? `${new URL(url).host} did not answer within ${patience / 1000} seconds` : asFerryError(error).message;
  }
}
