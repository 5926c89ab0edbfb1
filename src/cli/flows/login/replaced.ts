import type { Credentials } from "../../../auth/credentials.ts";
import { asFerryError } from "../../../base/errors.ts";
import { type PendingLogin, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { endStored, orRevoke, wayToRevoke } from "./end.ts";
import { withoutNote } from "./pending.ts";

/**
 * Ends the login that a new one took the place of: its key must lie nowhere, and not stay valid where this program had it made. What
 * can't be deleted now stays noted, and is tried again by the next login or logout.
 */
export async function endReplaced(
  context: Context,
  credentials: Credentials,
  earlier: PendingLogin,
  now: { readonly key: string; readonly keyId: string | undefined },
): Promise<void> {
  const { host, print } = context;
  try {
    const { key, why } = await endStored(context, credentials, earlier, async () => [now.key]);
    if (why !== undefined) await print.warn(`the key of the earlier login is still valid (${why}): ${wayToRevoke(earlier)}`);
    else await tellLeft(context, credentials, { earlier, key, now });
    await updateConfig(host, (config) => withoutNote(config, earlier));
  } catch (error) {
    const { message } = asFerryError(error);
    await print.warn(
      `the key of the earlier login may still be in ${credentials.place(earlier.store)} (${message})${orRevoke(earlier)}`,
    );
  }
}

interface Replaced {
  readonly earlier: PendingLogin;
  readonly key: string | undefined;
  readonly now: { readonly key: string; readonly keyId: string | undefined };
}

/** A key that nobody has any more, or only who brought it, may be valid all the same. */
async function tellLeft({ print }: Context, credentials: Credentials, { earlier, key, now }: Replaced): Promise<void> {
  const isSame = key === now.key || (earlier.keyId !== undefined && earlier.keyId === now.keyId);
  if (isSame) return;
  const place = credentials.place(earlier.store);
  if (earlier.minted !== true && key !== undefined)
    await print.warn(`the key that was there before is no longer in ${place}, and still valid: ${wayToRevoke(earlier)}`);
  else if (earlier.minted === true && key === undefined)
    await print.warn(`the key of the earlier login was no longer in ${place}, and may still be valid: ${wayToRevoke(earlier)}`);
}
