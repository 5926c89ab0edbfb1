import { hostName } from "../../../auth/address.ts";
import { type Credentials, isSamePlace, type StoreName } from "../../../auth/credentials.ts";
import { mayRun, ownHolder } from "../../../auth/holder.ts";
import { asFerryError, type FerryError } from "../../../base/errors.ts";
import type { Host } from "../../../host/host.ts";
import { type PendingLogin, readConfig, recoverConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { endStored, orRevoke, wayToRevoke } from "./end.ts";
import { isSameNote, withPending } from "./pending.ts";

/** A login that can't be asked for is given so long to store its key, in ms. */
const unseen = 10 * 60_000;

export interface Cleared {
  readonly ended: readonly Pick<PendingLogin, "url" | "account" | "workspace" | "keyId" | "minted">[];
  /** Stores that didn't answer, and what they said: nobody need wait a second time to learn the same. */
  readonly unreached: ReadonlyMap<StoreName, FerryError>;
}

interface Round {
  readonly unreached: Map<StoreName, FerryError>;
  readonly warnings: Set<string>;
  /** The addresses of the logins that were broken off with a key on its way, each as often as that was. */
  readonly lost: string[];
}

/**
 * Ends the logins that were broken off by a kill: their key is revoked where the login had it made, and deleted, unless it is a
 * login's by now. One whose process still runs is left to it.
 */
export async function endPending(context: Context, credentials: Credentials): Promise<Cleared> {
  const { host, print } = context;
  const round: Round = { unreached: new Map(), warnings: new Set(), lost: [] };
  const done: PendingLogin[] = [];
  for (const group of groupsOf(await claim(host))) if (await end(context, credentials, group, round)) done.push(...group);
  // Told first: whoever is killed in between leaves them to be told again.
  for (const line of [...round.warnings, ...linesOf(round.lost)]) await print.warn(line);
  await strikeOut(host, done);
  return { ended: groupsOf(done).flatMap(([first]) => first ?? []), unreached: round.unreached };
}

/** Forgets the logins that were broken off, and what can be deleted of them; revokes nothing. */
export async function forgetPending({ host, print }: Context, credentials: Credentials): Promise<Cleared> {
  const notes = await claim(host);
  const failures = new Map<StoreName, FerryError>();
  for (const note of notes)
    if (!failures.has(note.store))
      await credentials.delete(note).catch((error: unknown) => failures.set(note.store, asFerryError(error)));
  await strikeOut(host, notes);
  for (const [store, { message }] of failures)
    await print.warn(`the key of a login that was broken off may still be in ${credentials.place(store)}: ${message}`);
  return { ended: groupsOf(notes).flatMap(([first]) => first ?? []), unreached: new Map() };
}

async function strikeOut(host: Host, notes: readonly PendingLogin[]): Promise<void> {
  if (notes.length === 0) return;
  await updateConfig(host, (config) =>
    withPending(
      config,
      (config.pending ?? []).filter((note) => !notes.some((one) => isSameNote(one, note))),
    ),
  );
}

/** Who it was is known of one alone that was a login: another took its place. */
export function whatItWas({ url, account }: Pick<PendingLogin, "url" | "account">): string {
  const name = hostName(url);
  return account === "" ? `a login to ${name} that was broken off` : `an earlier login to ${name} (${account})`;
}

/** Makes them this process's own, so that no two end the same, and one that runs all the same learns of it. */
async function claim(host: Host): Promise<PendingLogin[]> {
  await recoverConfig(host);
  const dead: PendingLogin[] = [];
  for (const note of (await readConfig(host)).pending ?? []) if (!(await runs(host, note))) dead.push(note);
  if (dead.length === 0) return [];
  const mine = { by: await ownHolder(host), since: host.clock.now() };
  const { pending = [] } = await updateConfig(host, (config) => {
    const now = config.pending ?? [];
    const taken = now.filter((note) => dead.some((one) => isSameNote(one, note) && one.since === note.since));
    // Where a login has its key in the same place, that is the one that finds it.
    const ours = taken.filter((note) => !config.hosts.some((entry) => isSamePlace(entry, note)));
    return withPending(config, [...now.filter((note) => !taken.includes(note)), ...ours.map((note) => ({ ...note, ...mine }))]);
  });
  return pending.filter(({ by }) => by === mine.by);
}

function runs(host: Host, { by, since = 0 }: PendingLogin): Promise<boolean> {
  // Also what lies in the future is old: some clock is wrong, and nothing must stay for that for ever.
  return mayRun(host, by, () => Math.abs(host.clock.now() - since) < unseen);
}

/** The places where the same key may be; the file first, which answers at once. */
function groupsOf(notes: readonly PendingLogin[]): PendingLogin[][] {
  const groups: PendingLogin[][] = [];
  for (const note of [...notes].sort((a, b) => Number(b.store === "file") - Number(a.store === "file"))) {
    const group = groups.find(([first]) => first !== undefined && isSameNote(first, note));
    if (group === undefined) groups.push([note]);
    else group.push(note);
  }
  return groups;
}

/** Whether nothing is left to do. */
async function end(
  context: Context,
  credentials: Credentials,
  group: readonly PendingLogin[],
  { unreached, warnings, lost }: Round,
): Promise<boolean> {
  let left = false;
  for (const note of group) {
    try {
      const before = unreached.get(note.store);
      if (before !== undefined) throw before;
      const { key, why } = await endStored(context, credentials, note, () => keysOf(context, credentials, note.url));
      if (why !== undefined) warnings.add(`the key of ${whatItWas(note)} is still valid (${why}): ${wayToRevoke(note)}`);
      if (key !== undefined) return true;
    } catch (error) {
      const failure = asFerryError(error);
      if (failure.kind === "auth") unreached.set(note.store, failure);
      const place = credentials.place(note.store);
      const wayOut = failure.code === "unavailable" ? "; to hear no more of it: ferry logout --forget" : "";
      warnings.add(`the key of ${whatItWas(note)} may still be in ${place} (${failure.message})${orRevoke(note)}${wayOut}`);
      left = true;
    }
  }
  const [first] = group;
  // One that is a login's no more was there, and is gone only when it is ended.
  if (!left && first?.minted === true && first.account === "") lost.push(first.url);
  return !left;
}

function linesOf(lost: readonly string[]): string[] {
  return [...new Set(lost)].map((url) => {
    const many = lost.filter((other) => other === url).length;
    const which =
      many === 1
        ? `a login to ${hostName(url)} was broken off, and its key, where one was made and not ended by then, is`
        : `${many} logins to ${hostName(url)} were broken off, and their keys, where any were made and not ended by then, are`;
    return `${which} lost and still valid: revoke ${many === 1 ? "it" : "them"} in the portal there`;
  });
}

/** The keys that logins at this host have. */
async function keysOf({ host }: Context, credentials: Credentials, url: string): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  for (const entry of (await readConfig(host)).hosts) if (entry.url === url) keys.push(await credentials.find(entry));
  return keys;
}
