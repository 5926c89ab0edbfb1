import type { Clock, Host } from "../../host/host.ts";
import type { KeyEnds } from "../keys/key-ends.ts";
import type { KeyRecord, Store } from "../store/store.ts";

/** What it takes to turn an approval into a key, and to end one. */
export interface GrantDeps {
  readonly store: Store;
  readonly keyEnds: KeyEnds;
  readonly clock: Clock;
  readonly random: Host["random"];
}

/** A key that was just made; its secret is nowhere else. */
export interface Issued {
  readonly record: KeyRecord;
  readonly secret: string;
}

/** RFC 8628, 3.4. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
