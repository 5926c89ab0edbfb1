import { join } from "node:path";
import { probeKeychain } from "../../../../auth/keychain-probe.ts";
import { FerryError } from "../../../../base/errors.ts";
import { findFolders } from "../../../../base/folders.ts";
import { readConfig } from "../../../config/config.ts";
import type { Context } from "../../../context.ts";
import { withSettings } from "../../../flows/settings.ts";
import type { Check } from "../check.ts";

export const keychain: Check = {
  name: "keychain",
  async run(context) {
    const { host } = await withSettings(context);
    const file = join(findFolders(host).config, "credentials.json");
    const wanted = host.env["FERRY_CREDENTIAL_STORE"] ?? "";
    if (wanted === "file") return { verdict: "ok", says: `not used, as you chose: keys are kept in ${file}` };
    try {
      await probeKeychain(host.secrets.keychain(), host.random);
      return { verdict: "ok", says: "a probe was written, read back and deleted" };
    } catch (error) {
      if (!(error instanceof FerryError) || wanted === "keychain") throw error;
      if (error.code === "unavailable")
        return {
          verdict: "warning",
          says: `${error.message}; keys are kept in ${file}`,
          hint: "FERRY_CREDENTIAL_STORE=file chooses that quietly",
        };
      if (!(await areElsewhere(context))) throw error;
      return {
        verdict: "warning",
        says: `${error.message}; your keys are in ${file}, but the next login would fail`,
        hint: error.hint,
      };
    }
  },
};

/** Whether there are logins, and none needs the keychain. */
async function areElsewhere({ host }: Context): Promise<boolean> {
  const { hosts } = await readConfig(host);
  return hosts.length > 0 && hosts.every(({ store }) => store === "file");
}
