import { hostName } from "../../../auth/address.ts";
import { makeCredentials } from "../../../auth/credentials.ts";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { updateConfig } from "../../config/config.ts";
import { chooseHost, chosenName } from "../../flows/host/choose.ts";
import type { Verb } from "../../verb.ts";

export const logout: Verb = {
  name: "logout",
  summary: "Forget a service's key",
  description: "Forget a service's key on this machine. It stays valid at the service, where it can be revoked in the portal.",
  examples: ["ferry logout", "ferry logout --host agents.example.com"],
  async run(context) {
    const { host, print } = context;
    const chosen = await chooseHost(context);
    if (chosen.kind === "local") throw new FerryError("usage", "the embedded service has no login");
    const { entry } = chosen;
    if (entry === undefined) throw new FerryError("auth", `not logged in to ${chosenName(chosen)}`);
    const deleted = await makeCredentials(host, findFolders(host).config).delete(entry);
    await updateConfig(host, (config) => ({
      ...config,
      hosts: config.hosts.filter(({ url, account }) => url !== entry.url || account !== entry.account),
    }));
    if (context.global.json) await print.json({ host: entry.url, account: entry.account, deleted });
    await print.note(`logged out of ${hostName(entry.url)} (${entry.account}); the key is still valid there`);
    if ((host.env["FERRY_API_KEY"] ?? "") !== "") await print.warn("FERRY_API_KEY is still set");
  },
};
