import type { Credentials } from "../../../auth/credentials.ts";
import { asFerryError } from "../../../base/errors.ts";
import { type PendingLogin, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { endStored, orRevoke, wayToRevoke } from "./end.ts";
import { withoutNote } from "./pending.ts";

/**
 * Ends the login that a new one, with the key `now`, took the place of: its key must lie nowhere, and not stay valid where this
 * program had it made. What can't be deleted now stays noted, and is tried again by the next login or logout.
 */
export async function endReplaced(context: Context, credentials: Credentials, earlier: PendingLogin, now: string): Promise<void> {
  const { host, print } = context;
  try {
    const { found, why } = await endStored(context, credentials, earlier, async () => [now]);
    if (!found && earlier.minted === true)
      await print.warn(
        `the key of the earlier login was no longer in ${credentials.place(earlier.store)}, and may still be valid: ${wayToRevoke(earlier)}`,
      );
    if (why !== undefined) await print.warn(`the key of the earlier login is still valid (${why}): ${wayToRevoke(earlier)}`);
    await updateConfig(host, (config) => withoutNote(config, earlier));
  } catch (error) {
    const { message } = asFerryError(error);
    await print.warn(
      `the key of the earlier login may still be in ${credentials.place(earlier.store)} (${message})${orRevoke(earlier)}`,
    );
  }
}
