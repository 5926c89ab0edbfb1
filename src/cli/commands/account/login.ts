import { hostName, local, parseAddress } from "../../../auth/address.ts";
import { makeCredentials } from "../../../auth/credentials.ts";
import { identify } from "../../../auth/login.ts";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { updateConfig, type HostEntry } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { clientFor } from "../../flows/host/connect.ts";
import type { Verb } from "../../verb.ts";

export const login: Verb = {
  name: "login",
  summary: "Log in to a service with an API key",
  description:
    "Log in to a service with an API key, which is read from stdin. Make one in the service's portal, in the developer settings.",
  examples: ["ferry login --host https://agents.example.com --with-token < key.txt"],
  define: (command) => void command.option("--with-token", "read the key from stdin", false),
  async run(context, { withToken }: { readonly withToken: boolean }) {
    const { host, print } = context;
    const url = await chooseAddress(context);
    const key = await readKey(context, withToken, url);
    const { client } = clientFor(context, { send: host.network.send, url, key, origin: url });
    const { account, info } = await identify(client);
    const credentials = makeCredentials(host, findFolders(host).config);
    const { store, warning } = await credentials.save({ url, account }, key.value);
    const workspace = info?.workspace?.name ?? undefined;
    await remember(context, { url, account, store, ...(workspace === undefined ? {} : { workspace }) });
    if (warning !== undefined) await print.warn(warning);
    if (context.global.json)
      return print.json({ host: url, account, workspace: workspace ?? null, scopes: info?.key?.scopes ?? null, store });
    const scopes = info?.key?.scopes?.join(", ");
    await print.note(`logged in to ${hostName(url)} as ${account}${workspace === undefined ? "" : `, workspace ${workspace}`}`);
    await print.note(`the key is in ${credentials.place(store)}${scopes === undefined ? "" : `; its scopes: ${scopes}`}`);
    if ((host.env["FERRY_API_KEY"] ?? "") !== "") await print.warn("FERRY_API_KEY is set and wins over it where a host is named");
  },
};

async function chooseAddress({ global, host, interactive }: Context): Promise<string> {
  const given = global.host ?? host.env["FERRY_HOST"] ?? "";
  if (given === local) throw new FerryError("usage", "the embedded service needs no login");
  if (given !== "") return parseAddress(given);
  if (!interactive) throw new FerryError("usage", "no host to log in to", { hint: "name it: --host https://agents.example.com" });
  return parseAddress(await host.prompt.text("Address of the service:"));
}

async function readKey(
  { host, interactive }: Context,
  fromStdin: boolean,
  url: string,
): Promise<{ value: string; source: string }> {
  if (fromStdin) {
    const text = new TextDecoder().decode(await host.terminal.stdin.read(64 * 1024));
    return { value: text.trim(), source: "standard input" };
  }
  if (interactive) return { value: (await host.prompt.hidden(`API key for ${hostName(url)}:`)).trim(), source: "the answer" };
  throw new FerryError("auth", "nobody to ask for a key", {
    hint: 'set FERRY_HOST and FERRY_API_KEY, or pipe a key to "ferry login --with-token"',
  });
}

/** The last one logged in to comes first. */
async function remember({ host }: Context, entry: HostEntry): Promise<void> {
  await updateConfig(host, (config) => ({
    ...config,
    hosts: [entry, ...config.hosts.filter(({ url, account }) => url !== entry.url || account !== entry.account)],
  }));
}
