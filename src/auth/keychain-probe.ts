import { FerryError } from "../base/errors.ts";
import type { Host, SecretStore } from "../host/host.ts";

/** What keys are stored under. */
export const keychainService = "ferry";

const hint = "set FERRY_CREDENTIAL_STORE=file to keep keys in a file of your own";

/**
 * Writes a secret that is none, reads it back and deletes it: only what is written shows whether a keychain is locked, and only what is
 * read back that it keeps anything. Each probe has a name of its own, since others may run at the same moment.
 * @throws FerryError auth where the keychain is locked, silent or gone, or does not do what it says
 */
export async function probeKeychain(store: SecretStore, random: Host["random"]): Promise<void> {
  const text = (size: number): string => Buffer.from(random(size)).toString("hex");
  const [account, secret] = [`probe ${text(8)}`, text(16)];
  await store.setPassword(keychainService, account, secret);
  let kept: string | null = null;
  let deleted = false;
  try {
    kept = await store.getPassword(keychainService, account);
  } finally {
    deleted = await store.deletePassword(keychainService, account);
  }
  if (kept !== secret) throw new FerryError("auth", "the keychain takes secrets and does not keep them", { hint });
  if (!deleted || (await store.getPassword(keychainService, account)) !== null)
    throw new FerryError("auth", "the keychain does not delete secrets", { hint });
}
