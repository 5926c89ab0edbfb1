import { hostName } from "../../../auth/address.ts";
import type { Credentials } from "../../../auth/credentials.ts";
import { asFerryError } from "../../../base/errors.ts";
import { type Config, type PendingLogin, readConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { endKey } from "./end.ts";

/** Writes down where the key of a login is about to be: were this process killed now, nothing else would ever find it there. */
export async function notePending(
  { host }: Context,
  credentials: Credentials,
  login: Pick<PendingLogin, "url" | "account" | "minted">,
): Promise<void> {
  const by = { pid: host.pid, startTime: (await host.processes.startTime(host.pid)) ?? "" };
  const noted = credentials.places().map((store) => ({ ...login, store, by }));
  await updateConfig(host, (config) => withPending(config, [...(config.pending ?? []), ...noted]));
}

/** The config without what this process noted: its login is done, or given up. */
export function withoutPending(config: Config, pid: number): Config {
  return withPending(
    config,
    (config.pending ?? []).filter(({ by }) => by.pid !== pid),
  );
}

/**
 * Ends the logins that were broken off by a kill: their key is revoked where the login had it made, and deleted. One whose process
 * still runs is left to it. Gives those that are ended.
 */
export async function endPending(context: Context, credentials: Credentials): Promise<readonly PendingLogin[]> {
  const { host, print } = context;
  const { hosts, pending = [] } = await readConfig(host);
  const ended: PendingLogin[] = [];
  for (const login of pending) {
    if ((await host.processes.startTime(login.by.pid)) === login.by.startTime) continue;
    // Where a login has its key in the same place, that is the one that finds it.
    const found = hosts.some((entry) => isSamePlace(entry, login));
    try {
      if (!found) await end(context, credentials, login);
      ended.push(login);
    } catch (error) {
      const what = `the key of a login to ${hostName(login.url)} that was broken off`;
      await print.warn(`${what} may still be in ${credentials.place(login.store)} (${asFerryError(error).message})`);
    }
  }
  if (ended.length > 0)
    await updateConfig(host, (config) =>
      withPending(
        config,
        (config.pending ?? []).filter((login) => !ended.some((one) => isSamePlace(one, login) && one.by.pid === login.by.pid)),
      ),
    );
  return ended;
}

async function end(context: Context, credentials: Credentials, login: PendingLogin): Promise<void> {
  const key = await credentials.find(login);
  const why = login.minted === true && key !== undefined ? await endKey(context, login.url, key) : undefined;
  if (why !== undefined)
    await context.print.warn(
      `the key of a login that was broken off is still valid (${why}): revoke it in the portal of ${hostName(login.url)}`,
    );
  // Also where none is found: what a kill left half written goes with it.
  await credentials.delete(login);
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.url === other.url && one.account === other.account && one.store === other.store;
}

type Place = Pick<PendingLogin, "url" | "account" | "store">;

function withPending({ pending: _, ...config }: Config, pending: readonly PendingLogin[]): Config {
  return pending.length === 0 ? config : { ...config, pending };
}
