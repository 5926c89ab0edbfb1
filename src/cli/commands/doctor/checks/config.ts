import { checkConfig, configPath, readConfig } from "../../../config/config.ts";
import type { Check } from "../check.ts";

/** Wherever keys are kept, which logins there are is in the config file: a login that can't be entered there is none. */
export const config: Check = {
  name: "config",
  async run({ host }) {
    await checkConfig(host);
    // A wrong setting can be replaced, but nothing else goes on with it.
    await readConfig(host);
    return { verdict: "ok", says: `logins and settings are kept in ${configPath(host)}` };
  },
};
