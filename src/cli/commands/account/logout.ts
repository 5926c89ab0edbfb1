import { hostName } from "../../../auth/address.ts";
import { type Credentials, makeCredentials } from "../../../auth/credentials.ts";
import { revokeKey } from "../../../auth/oauth/revoke.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { type HostEntry, readConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { chooseHost, chosenName, namedHost } from "../../flows/host/choose.ts";
import { callerOf } from "../../flows/login/caller.ts";
import type { Verb } from "../../verb.ts";

export const logout: Verb = {
  name: "logout",
  summary: "End a login: revoke its key at the service, and forget it here",
  description:
    "End a login: revoke its key at the service, and forget it here. A key that you brought yourself is only forgotten, since others may use it; --revoke ends it as well.",
  examples: ["ferry logout", "ferry logout --host agents.example.com", "ferry logout --revoke"],
  define: (command) => void command.option("--revoke", "also revoke a key that ferry's login didn't make", false),
  async run(context, { revoke }: { readonly revoke: boolean }) {
    const { host, print } = context;
    if (namedHost(context) === undefined && (await readConfig(host)).hosts.length === 0)
      throw new FerryError("auth", "not logged in anywhere");
    const chosen = await chooseHost(context);
    if (chosen.kind === "local") throw new FerryError("usage", "the embedded service has no login");
    const { entry } = chosen;
    if (entry === undefined) throw new FerryError("auth", `not logged in to ${chosenName(chosen)}`);
    const credentials = makeCredentials(host, findFolders(host).config);
    const ending = revoke || entry.minted === true ? await end(context, credentials, entry) : { revoked: false };
    const deleted = await credentials.delete(entry);
    await updateConfig(host, (config) => ({
      ...config,
      hosts: config.hosts.filter(({ url, account }) => url !== entry.url || account !== entry.account),
    }));
    if (context.global.json) await print.json({ host: entry.url, account: entry.account, deleted, revoked: ending.revoked });
    const there = ending.revoked ? "the key is revoked" : "the key is still valid there";
    await print.note(`logged out of ${hostName(entry.url)} (${entry.account}); ${there}`);
    if (ending.why !== undefined) await print.warn(`it could not be revoked: ${ending.why}; do it in the portal`);
    if ((host.env["FERRY_API_KEY"] ?? "") !== "") await print.warn("FERRY_API_KEY is still set");
  },
};

interface Ending {
  readonly revoked: boolean;
  /** Why not, where it was tried. */
  readonly why?: string;
}

/** A service that is down, or a key that is gone, keeps nobody logged in here. */
async function end(context: Context, credentials: Credentials, entry: HostEntry): Promise<Ending> {
  const key = await credentials.find(entry);
  if (key === undefined) return { revoked: false, why: `it is no longer in ${credentials.place(entry.store)}` };
  try {
    await revokeKey(entry.url, key, callerOf(context));
    return { revoked: true };
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    return { revoked: false, why: asFerryError(error).message };
  }
}
