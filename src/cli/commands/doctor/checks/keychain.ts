import { wantedStore } from "../../../../auth/credentials.ts";
import { probeKeychain } from "../../../../auth/keychain-probe.ts";
import { FerryError } from "../../../../base/errors.ts";
import { readConfig } from "../../../config/config.ts";
import type { Context } from "../../../context.ts";
import { credentialsOf } from "../../../flows/login/credentials.ts";
import { withSettings } from "../../../flows/settings.ts";
import type { Check } from "../check.ts";

export const keychain: Check = {
  name: "keychain",
  async run(context) {
    const settled = await withSettings(context);
    const { host } = settled;
    const credentials = credentialsOf(settled);
    const file = credentials.place("file");
    const wanted = wantedStore(host);
    if (wanted === "file") {
      await credentials.checkFile();
      return { verdict: "ok", says: `not used, as you chose: keys are kept in ${file}` };
    }
    try {
      await probeKeychain(host.secrets.keychain(), host.random);
      return { verdict: "ok", says: "a probe was written, read back and deleted" };
    } catch (error) {
      if (!(error instanceof FerryError) || wanted === "keychain") throw error;
      if (error.code === "unavailable") {
        await credentials.checkFile();
        return {
          verdict: "warning",
          says: `${error.message}; keys are kept in ${file}`,
          hint: "FERRY_CREDENTIAL_STORE=file chooses that quietly",
        };
      }
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
