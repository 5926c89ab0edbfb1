import { hostName } from "../../../auth/address.ts";
import { type Credentials, isSamePlace, type StoreName } from "../../../auth/credentials.ts";
import { type Identity, identify, keyIdOf, namelessAccount, scopesOf, workspaceIdOf, workspaceOf } from "../../../auth/login.ts";
import type { Leftover, Redeeming } from "../../../auth/oauth/token-call.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import type { ApiKey } from "../../../client/http/key.ts";
import { type HostEntry, type PendingLogin, readConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { clientFor } from "../host/connect.ts";
import { whileWaiting } from "../waiting.ts";
import { endPending } from "./broken-off.ts";
import { credentialsOf } from "./credentials.ts";
import { endKey, wayToRevoke } from "./end.ts";
import { isNoted, type Note, type Noted, notePending, withoutNote, withPending } from "./pending.ts";
import { endReplaced } from "./replaced.ts";
import { earlierLogin } from "./same.ts";

/** A key that isn't kept yet. */
export interface NewKey {
  readonly url: string;
  readonly key: ApiKey;
  /** Where this login had it made: then it is ended at the service where it can't be kept, and at logout. */
  readonly minted?: Noted;
}

/**
 * The key that `make` has the service make, which awaits `redeeming` before there can be one. It is noted then: were this killed with
 * the answer on its way, the next login or logout tells that there may be a key that nobody has. Where that comes out here, it is told
 * here, or the key is ended.
 */
export async function mintKey(
  context: Context,
  url: string,
  make: (redeeming: Redeeming) => Promise<string>,
): Promise<{ readonly value: string; readonly note: Noted }> {
  const credentials = credentialsOf(context);
  let noting: Promise<Noted> | undefined;
  const note = (): Promise<Noted> => (noting ??= notePending(context.host, credentials, { url, minted: true }));
  let left = "nothing" as Leftover;
  const redeeming: Redeeming = async () => {
    await note();
    const before = left;
    left = "maybe a key";
    return (now) => (left = now === "as before" ? before : now);
  };
  try {
    const value = await make(redeeming);
    // An earlier call of the same login, whose answer was lost.
    if (left === "maybe a key") await tellTwo(context, url);
    return { value, note: await note() };
  } catch (error) {
    const noted = await noting?.catch(() => undefined);
    // Where nobody can be told, the note stays for the next login.
    if (noted !== undefined) await giveUp(context, noted, left).catch(() => undefined);
    throw error;
  }
}

async function giveUp(context: Context, note: Note, left: Leftover): Promise<void> {
  if (typeof left === "object") await endUnkept(context, note.url, left.key);
  else if (left === "maybe a key") await tellLost(context, note.url);
  await withdraw(context, credentialsOf(context), note);
}

async function tellLost({ print }: Context, url: string): Promise<void> {
  await print.warn(`a key may have been made all the same: if the portal at ${hostName(url)} lists one, revoke it there`);
}

/** By the rules a code brings one key; of a service that keeps to them, none was lost. */
async function tellTwo({ print }: Context, url: string): Promise<void> {
  await print.warn(
    `a lost answer may have brought a key, too: if the portal at ${hostName(url)} lists two of this login, revoke the older`,
  );
}

/** A key that is stored, and not entered among the logins yet. */
interface Stored {
  readonly note: Note;
  readonly key: string;
  readonly store: StoreName;
  readonly warning?: string;
}

/**
 * Sees that the key works, keeps it, reads it back, and only then says who is logged in. Each key has a place of its own, and one
 * write of the config file makes it the login's: whatever runs beside this, or ends it, no key is lost, or deleted that is in use.
 */
export async function keepKey(context: Context, added: NewKey): Promise<void> {
  const credentials = credentialsOf(context);
  const { url, key, minted } = added;
  let note = minted;
  let stored: Stored | undefined;
  const store = async (): Promise<Stored> => {
    note ??= await notePending(context.host, credentials, { url });
    return { note, key: key.value, ...(await credentials.save(note, key.value, note.places)) };
  };
  let identity: Identity | undefined;
  let entered: Entered;
  try {
    const { client } = clientFor(context, { send: context.host.network.send, url, key, origin: url });
    // What was made just now must be found whenever this ends; what somebody brought is stored when it has proved good.
    if (minted !== undefined) stored = await store();
    identity = await whileWaiting(context, hostName(url), () => identify(client));
    stored ??= await store();
    context.host.interrupt.throwIfAborted();
    await endPending(context, credentials);
    entered = { ...(await enter(context, credentials, stored, identity)), identity };
  } catch (error) {
    if (minted !== undefined) await endUnkept(context, url, key.value, identity);
    if (note !== undefined) await withdraw(context, credentials, note, stored?.store);
    throw error;
  }
  if (entered.earlier !== undefined)
    await endReplaced(context, credentials, entered.earlier, { key: key.value, keyId: entered.entry.keyId });
  await report(context, entered.identity, entered.entry, stored.warning);
}

interface Entered {
  readonly entry: HostEntry;
  /** The login that it took the place of. */
  readonly earlier: PendingLogin | undefined;
  readonly identity: Identity;
}

/** In one step the new key is the login's, and the earlier one's is noted to be ended. */
async function enter(
  { host }: Context,
  credentials: Credentials,
  { note, key, store }: Stored,
  identity: Identity,
): Promise<Omit<Entered, "identity">> {
  const { url, item, by } = note;
  const { account } = identity;
  const [workspace, workspaceId, keyId] = [workspaceOf(identity), workspaceIdOf(identity), keyIdOf(identity)];
  const earlierIn = (hosts: readonly HostEntry[]) => earlierLogin(hosts, { url, account, workspace, workspaceId });
  for (;;) {
    const found = earlierIn((await readConfig(host)).hosts);
    // The same key brought once more is still the one that ferry had made.
    const minted = note.minted === true || (found?.minted === true && (await keyOf(credentials, found)) === key);
    const entry: HostEntry = {
      url,
      account,
      store,
      ...(item !== undefined && { item }),
      ...(workspace !== undefined && { workspace }),
      ...(workspaceId !== undefined && { workspaceId }),
      ...(keyId !== undefined && { keyId }),
      ...(minted && { minted }),
    };
    const earlier = found && { ...found, by, since: host.clock.now() };
    const { hosts } = await updateConfig(host, (config) => {
      if (!isNoted(config, note))
        throw new FerryError("unavailable", "another ferry took this login for one that was broken off", {
          hint: "log in again",
        });
      const now = earlierIn(config.hosts);
      const same = now === undefined || found === undefined ? now === found : isSamePlace(now, found);
      // Another login came between the two steps.
      if (!same) return config;
      const rest = withoutNote(config, note);
      return {
        ...withPending(rest, [...(rest.pending ?? []), ...(earlier === undefined ? [] : [earlier])]),
        // The last one logged in to comes first.
        hosts: [entry, ...config.hosts.filter((other) => other !== now)],
      };
    });
    if (hosts.includes(entry)) return { entry, earlier };
  }
}

/** Undefined also where it can't be asked for: that keeps nobody from logging in, and endReplaced tells of it. */
async function keyOf(credentials: Credentials, login: HostEntry): Promise<string | undefined> {
  return credentials.find(login, "at login").catch(() => undefined);
}

/** After Ctrl-C another ferry, ended with this one, may hold the config file: how long that is waited for, in ms. */
const brief = 2000;

/** What can't be deleted, or struck out, stays noted: the next login or logout tries again. */
async function withdraw({ host, print }: Context, credentials: Credentials, note: Note, store?: StoreName): Promise<void> {
  const enduring = { ...host, interrupt: AbortSignal.timeout(brief) };
  let place = store && credentials.place(store);
  try {
    if (store !== undefined) await credentials.delete({ ...note, store });
    place = undefined;
    await updateConfig(enduring, (config) => withoutNote(config, note));
  } catch (error) {
    const { message } = asFerryError(error);
    await print.warn(
      place === undefined
        ? `this login stays noted as one that was broken off (${message}): the next login or logout clears that away`
        : `the key of this login may still be in ${place} (${message})`,
    );
  }
}

async function report(context: Context, identity: Identity, entry: HostEntry, warning: string | undefined): Promise<void> {
  const { print, global } = context;
  const { url, account, store: place, workspace } = entry;
  const scopes = scopesOf(identity);
  if (warning !== undefined) await print.warn(warning);
  if (global.json) {
    await print.json({
      host: url,
      account,
      workspace: workspace ?? null,
      scopes: scopes ?? null,
      key_id: entry.keyId ?? null,
      store: place,
    });
    return;
  }
  const who = account === namelessAccount ? "" : ` as ${account}`;
  await print.note(`logged in to ${hostName(url)}${who}${workspace === undefined ? "" : `, workspace ${workspace}`}`);
  const about = [
    // A warning has told the place.
    ...(warning === undefined ? [`the key is in ${credentialsOf(context).place(place)}`] : []),
    ...(scopes === undefined ? [] : [`its scopes: ${scopes.join(", ")}`]),
  ];
  if (about.length > 0) await print.note(about.join("; "));
}

/** A key that nobody has must not stay valid. */
async function endUnkept(context: Context, url: string, key: string, identity?: Identity): Promise<void> {
  const why = await endKey(context, url, key);
  const keyId = identity && keyIdOf(identity);
  if (why !== undefined)
    await context.print.warn(
      `a key that was made for this login is still valid (${why}): ${wayToRevoke({ url, ...(keyId !== undefined && { keyId }) })}`,
    );
}
