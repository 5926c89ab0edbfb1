import { join } from "node:path";
import { FerryError } from "../../../../base/errors.ts";
import { findFolders } from "../../../../base/folders.ts";
import type { SecretStore } from "../../../../host/host.ts";
import { withSettings } from "../../../flows/settings.ts";
import type { Check } from "../check.ts";

const service = "ferry";
const account = "doctor's probe";

export const keychain: Check = {
  name: "keychain",
  async run(context) {
    const { host } = await withSettings(context);
    const file = join(findFolders(host).config, "credentials.json");
    const wanted = host.env["FERRY_CREDENTIAL_STORE"] ?? "";
    if (wanted === "file") return { verdict: "ok", says: `not used, as you chose: keys are kept in ${file}` };
    try {
      await probe(host.secrets.keychain(), Buffer.from(host.random(16)).toString("hex"));
      return { verdict: "ok", says: "a probe was written, read back and deleted" };
    } catch (error) {
      if (!(error instanceof FerryError) || error.code !== "unavailable" || wanted === "keychain") throw error;
      return {
        verdict: "warning",
        says: `${error.message}; keys are kept in ${file}`,
        hint: "FERRY_CREDENTIAL_STORE=file chooses that quietly",
      };
    }
  },
};

async function probe(store: SecretStore, secret: string): Promise<void> {
  await store.setPassword(service, account, secret);
  const kept = await store.getPassword(service, account);
  const deleted = await store.deletePassword(service, account);
  const hint = "set FERRY_CREDENTIAL_STORE=file to keep keys in a file of your own";
  if (kept !== secret) throw new FerryError("auth", "it takes secrets and does not keep them", { hint });
  if (!deleted || (await store.getPassword(service, account)) !== null)
    throw new FerryError("auth", "it does not delete secrets", { hint });
}
