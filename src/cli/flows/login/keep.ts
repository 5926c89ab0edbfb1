import { hostName } from "../../../auth/address.ts";
import { type Identity, identify } from "../../../auth/login.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import { type HostEntry, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { clientFor } from "../host/connect.ts";
import { endKey } from "./end.ts";
import { endPending, notePending, withoutPending } from "./pending.ts";
import { endReplaced, findReplaced } from "./replaced.ts";
import { credentialsOf } from "./credentials.ts";

/** A key that isn't kept yet. */
export interface NewKey {
  readonly url: string;
  readonly key: ApiKey;
  /** Whether this login had it made: then it is ended at the service where it can't be kept, and at logout. */
  readonly minted: boolean;
}

/** Sees that the key works, keeps it, reads it back, and only then says who is logged in. */
export async function keepKey(context: Context, added: NewKey): Promise<void> {
  try {
    const { url, key } = added;
    const { client } = clientFor(context, { send: context.host.network.send, url, key, origin: url });
    const identity = await identify(client);
    const { entry, warning } = await store(context, added, identity);
    await report(context, identity, entry, warning);
  } catch (error) {
    if (added.minted) await endUnkept(context, added);
    throw error;
  }
}

/** What is known of the login now, and what must be told of the place that its key is in. */
interface Kept {
  readonly entry: HostEntry;
  readonly warning: string | undefined;
}

async function store(context: Context, { url, key, minted }: NewKey, { account, info }: Identity): Promise<Kept> {
  const { host } = context;
  const credentials = credentialsOf(context);
  await endPending(context, credentials);
  const replaced = await findReplaced(context, credentials, { url, account });
  await notePending(context, credentials, { url, account, ...(minted && { minted }) });
  const { store: place, warning } = await credentials.save({ url, account }, key.value).catch(async (error: unknown) => {
    await updateConfig(host, (config) => withoutPending(config, host.pid));
    throw error;
  });
  const workspace = info?.workspace?.name ?? undefined;
  const entry: HostEntry = {
    url,
    account,
    store: place,
    ...(workspace !== undefined && { workspace }),
    // The same key brought once more is still the one that ferry had made.
    ...((minted || (replaced?.entry.minted === true && replaced.key === key.value)) && { minted: true }),
  };
  try {
    // The last one logged in to comes first.
    await updateConfig(host, (config) => ({
      ...withoutPending(config, host.pid),
      hosts: [entry, ...config.hosts.filter((other) => other.url !== url || other.account !== account)],
    }));
  } catch (error) {
    // Without its entry nothing would ever find it again.
    await credentials.delete(entry);
    throw error;
  }
  if (replaced !== undefined) await endReplaced(context, credentials, replaced, { store: place, key: key.value });
  return { entry, warning };
}

async function report(context: Context, { info }: Identity, entry: HostEntry, warning: string | undefined): Promise<void> {
  const { host, print, global } = context;
  const { url, account, store: place, workspace } = entry;
  const scopes = info?.key?.scopes;
  if (warning !== undefined) await print.warn(warning);
  if (global.json) {
    await print.json({ host: url, account, workspace: workspace ?? null, scopes: scopes ?? null, store: place });
    return;
  }
  await print.note(`logged in to ${hostName(url)} as ${account}${workspace === undefined ? "" : `, workspace ${workspace}`}`);
  const about = [
    // A warning has told the place.
    ...(warning === undefined ? [`the key is in ${credentialsOf(context).place(place)}`] : []),
    ...(scopes == null ? [] : [`its scopes: ${scopes.join(", ")}`]),
  ];
  if (about.length > 0) await print.note(about.join("; "));
  if ((host.env["FERRY_API_KEY"] ?? "") !== "") await print.warn("FERRY_API_KEY is set and wins over it where a host is named");
}

/** A key that nobody has must not stay valid. */
async function endUnkept(context: Context, { url, key }: NewKey): Promise<void> {
  const why = await endKey(context, url, key.value);
  if (why !== undefined)
    await context.print.warn(
      `a key that was made for this login is still valid (${why}): revoke it in the portal of ${hostName(url)}`,
    );
}
