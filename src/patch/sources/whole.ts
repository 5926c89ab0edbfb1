import { join } from "node:path";
import { fetchInto } from "../../git/fetch.ts";
import type { Context } from "../context.ts";
import type { Quarantine } from "../quarantine.ts";
import { isPartial } from "./promised.ts";
import { reachingOf } from "./reaching.ts";

/**
 * Leaves out nothing that a series may have. In a partial clone git checks that all is there which new objects point to, and what
 * was promised isn't, unless it is told that some may be missing.
 */
const nearlyAll = "blob:limit=2g";

/** Fetches ids or refs with all that they reach into the quarantine. @throws FerryError as fetchInto does */
export async function fetchWhole(
  { remote, wants }: { readonly remote: string; readonly wants: readonly string[] },
  quarantine: Quarantine,
  context: Context,
): Promise<void> {
  const store = { objects: join(quarantine.gitDir, "objects") };
  const filter = (await isPartial(context)) ? nearlyAll : undefined;
  await fetchInto(store, reachingOf(context), { remote, wants, filter });
}
