import { join } from "node:path";
import type { Host } from "../../host/host.ts";
import type { App } from "../app.ts";
import type { KeyEnds } from "../keys/key-ends.ts";
import type { Log } from "../log.ts";
import { makeFailures } from "../portal/failures.ts";
import { makePasswords } from "../portal/passwords.ts";
import { makeSignInLink } from "../portal/sign-in-link.ts";
import { makeSite } from "../portal/site.ts";
import type { SiteNames } from "../reach/names.ts";
import type { Store } from "../store/store.ts";
import { localUser } from "./local-user.ts";

export interface LocalSite {
  readonly data: string;
  readonly store: Store;
  readonly keyEnds: KeyEnds;
  /** The id of the key in the data folder. */
  readonly ownKeyId: string;
  readonly log: Log;
  /** The interface for programs, where it is served beside the pages. */
  readonly api: App | undefined;
  readonly names: () => SiteNames;
  /** Whether others than the local user reach it. */
  readonly shared: boolean;
}

/** The portal of a service on one's own machine. The data folder's `sign-in` holds the code of the link that signs a browser in. */
export async function makeLocalSite(
  { data, shared, ...rest }: LocalSite,
  { clock, random, files }: Pick<Host, "clock" | "random" | "files">,
): Promise<{ site: App; remove: () => Promise<void> }> {
  const path = join(data, "sign-in");
  const link = await makeSignInLink(random, (code) => files.write(path, code, 0o600));
  const wrongCodes = makeFailures(10, 600_000, clock);
  const passwords = shared ? makePasswords({ store: rest.store, clock, random }) : undefined;
  return {
    site: makeSite({ ...rest, clock, random, link, passwords, wrongCodes, userId: localUser }),
    remove: () => files.remove(path),
  };
}
