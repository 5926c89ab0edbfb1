import { makeId } from "../../base/ids.ts";
import type { Clock, Host } from "../../host/host.ts";
import type { KeyRecord, KeyStore } from "../store/store.ts";
import { mintApiKey } from "./api-key.ts";
import { hashSecret } from "./secret.ts";

/** A new key in the store, and its secret, which is nowhere else. */
export async function makeKey(
  keys: KeyStore,
  { clock, random }: { readonly clock: Clock; readonly random: Host["random"] },
  wanted: Pick<KeyRecord, "name" | "user_id" | "scopes" | "expires_at"> & { readonly id?: string },
): Promise<{ record: KeyRecord; secret: string }> {
  const secret = mintApiKey(random);
  const record: KeyRecord = {
    id: makeId("key", random),
    ...wanted,
    hash: hashSecret(secret),
    revoked_at: null,
    created_at: new Date(clock.now()).toISOString(),
  };
  await keys.insert(record);
  return { record, secret };
}
