import type { Credentials, Places } from "../../../auth/credentials.ts";
import { type Holder, ownHolder } from "../../../auth/holder.ts";
import type { Host } from "../../../host/host.ts";
import { type Config, type PendingLogin, updateConfig } from "../../config/config.ts";

/** What is known of a key, wherever it is stored in the end. */
export type Note = Omit<PendingLogin, "store">;

/** One that is written down, with where its key goes. */
export interface Noted extends Note {
  readonly places: Places;
}

/**
 * Writes down where a key is about to be: were this process killed now, nothing else would ever find it there. Only where it may be: of a
 * keychain that there is none of, nobody could ever say that it isn't there.
 */
export async function notePending(
  host: Host,
  credentials: Credentials,
  login: Pick<PendingLogin, "url" | "minted">,
): Promise<Noted> {
  const places = await credentials.places();
  const item = Buffer.from(host.random(8)).toString("hex");
  const note: Note = { ...login, account: "", item, by: await ownHolder(host), since: host.clock.now() };
  await updateConfig(host, (config) =>
    withPending(config, [...(config.pending ?? []), ...places.stores.map((store) => ({ ...note, store }))]),
  );
  return { ...note, places };
}

/** Whether it is still there, and still this process's: another one may have taken this one for dead. */
export function isNoted({ pending = [] }: Config, note: Note): boolean {
  return pending.some((other) => isSameNote(other, note) && isSameHolder(other.by, note.by));
}

export function isSameNote(one: Note, other: Note): boolean {
  return one.url === other.url && one.account === other.account && one.item === other.item;
}

function isSameHolder(one: Holder, other: Holder): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.space === other.space;
}

/** The config without it: its login is done, or given up. */
export function withoutNote(config: Config, note: Note): Config {
  return withPending(
    config,
    (config.pending ?? []).filter((other) => !isSameNote(other, note)),
  );
}

export function withPending({ pending: _, ...config }: Config, pending: readonly PendingLogin[]): Config {
  return pending.length === 0 ? config : { ...config, pending };
}
