import { Option } from "commander";
import { hostName } from "../../../auth/address.ts";
import { type Credentials, isSamePlace } from "../../../auth/credentials.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { shellWord } from "../../../base/words.ts";
import { checkFolder, type Config, type HostEntry, readConfig, updateConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { chooseHost, chosenName, keyOfEnvironment, namedHost } from "../../flows/host/choose.ts";
import { type Cleared, endPending, forgetPending, whatItWas } from "../../flows/login/broken-off.ts";
import { kindNow } from "../../flows/interrupted.ts";
import { endKey, wayToRevoke } from "../../flows/login/end.ts";
import { accountName, loginName } from "../../flows/login/same.ts";
import { chooseHere } from "../../flows/login/where-else.ts";
import type { Verb } from "../../verb.ts";
import { credentialsOf } from "../../flows/login/credentials.ts";

interface Options {
  readonly revoke: boolean;
  readonly forget: boolean;
}

export const logout: Verb = {
  name: "logout",
  summary: "End a login: revoke its key at the service, and forget it here",
  answer: ["host", "account", "workspace", "key_id", "deleted", "revoked", "broken_off"],
  description:
    "End a login: revoke its key at the service, and forget it here. A key that you brought yourself is only forgotten, since others may use it; --revoke ends it as well. Where the keychain can't be opened, --forget drops the login all the same; where keys of earlier logins were left, it forgets only those, unless --host names the login.",
  examples: ["ferry logout", "ferry logout --host agents.example.com", "ferry logout --revoke"],
  define: (command) =>
    void command
      .addOption(new Option("--revoke", "also revoke a key that ferry's login didn't make").default(false).conflicts("forget"))
      .option("--forget", "revoke nothing, and forget the login also where its key can't be deleted", false),
  async run(context, options: Options) {
    const { host, print } = context;
    await checkFolder(host);
    await readConfig(host);
    const credentials = credentialsOf(context);
    const { ended, unreached } = await (options.forget ? forgetPending : endPending)(context, credentials);
    for (const login of ended)
      await print.note(`${options.forget ? "forgot" : "ended"} ${whatItWas(login)}${options.forget ? notRevoked(login) : ""}`);
    const { hosts } = await readConfig(host);
    if (namedHost(context) === undefined && hosts.length === 0 && ended.length === 0)
      throw new FerryError("auth", "not logged in anywhere", {
        hint: isKeySet(context) ? "FERRY_API_KEY is set: commands use that key where a host is named" : undefined,
      });
    const brokenOff = ended.map(said);
    // Who was told of leftovers is rid of them by --forget: a login goes with them where there is nothing else to forget, or by its name.
    const only = options.forget && context.global.host === undefined;
    if (ended.length > 0 && (hosts.length === 0 || only)) {
      if (context.global.json) await print.json({ ...nobody, deleted: false, revoked: false, broken_off: brokenOff });
      const names = new Set(hosts.map(({ url }) => hostName(url)));
      if (names.size > 0) await print.note(`still logged in to ${[...names].join(", ")}`);
      return;
    }
    const used = await loginHere(context);
    // A branch's link says where its session is, not which login is done with.
    const chosen = await chooseHost(context, null);
    if (chosen.kind === "local") throw new FerryError("usage", "the embedded service has no login");
    const { entry } = chosen;
    if (entry === undefined)
      throw new FerryError("auth", `not logged in to ${chosenName(chosen)}`, {
        // Who is logged in by the variable alone has nothing here that a logout could end.
        hint: keyOfEnvironment(context, chosen) && "FERRY_API_KEY is set: commands use that key until it is unset",
      });
    const { deleted, ...ending } = options.forget
      ? await forget(context, credentials, entry)
      : await endLogin(context, credentials, entry, { ...options, trouble: unreached.get(entry.store) });
    if (context.global.json) await print.json({ ...said(entry), deleted, revoked: ending.revoked, broken_off: brokenOff });
    const out = `logged out of ${hostName(entry.url)} (${accountName(entry, hosts)})`;
    // Who asked for its end in so many words may rely on that.
    const isOpen = options.revoke && !ending.revoked;
    if (!isOpen) await tellKey(context, credentials.place(entry.store), { out, entry, ending });
    if (isKeySet(context)) await print.warn("FERRY_API_KEY is still set");
    await tellNext(context, used, entry, hosts);
    if (!isOpen) return;
    const why = ending.why ?? `it was no longer in ${credentials.place(entry.store)}`;
    throw new FerryError("attention", `${out}, but its key could not be revoked: ${why}`, { hint: wayToRevoke(entry) });
  },
};

const nobody = { host: null, account: null, workspace: null, key_id: null };

/** Which login it was, in JSON; of one that was broken off, who is not known. */
function said({ url, account, workspace, keyId }: Cleared["ended"][number]) {
  return { host: url, account: account || null, workspace: workspace ?? null, key_id: keyId ?? null };
}

/** What --forget leaves at the service of a login whose key ferry had it make; it may have been broken off before there was one. */
function notRevoked({ minted, account, ...login }: Cleared["ended"][number]): string {
  if (minted !== true) return "";
  const key = account === "" ? "its key, if it has one there," : "its key";
  return `; ${key} was not revoked: ${wayToRevoke(login)}`;
}

/** Who ends the login that commands use is told which one they use from then on: it may be another person's, or another service. */
async function tellNext(
  context: Context,
  used: HostEntry | undefined,
  entry: HostEntry,
  before: readonly HostEntry[],
): Promise<void> {
  // The key of the environment goes before each login, or keeps commands from calling anybody.
  if (used === undefined || !isSamePlace(used, entry) || isKeySet(context)) return;
  const next = await loginHere(context);
  if (next !== undefined) await context.print.note(`commands use ${loginName(next, before)} now`);
}

/** What commands here use, whatever host this one names; undefined where that is no login. */
async function loginHere(context: Context): Promise<HostEntry | undefined> {
  const chosen = await chooseHere(context).catch(() => undefined);
  return chosen?.kind === "remote" ? chosen.entry : undefined;
}

interface Told {
  readonly out: string;
  readonly entry: HostEntry;
  readonly ending: Omit<Ending, "deleted">;
}

/** What became of a login's key, here and at the service. */
async function tellKey({ print }: Context, place: string, { out, entry, ending }: Told): Promise<void> {
  await print.note(`${out}; ${whatIsThere(entry, ending)}`);
  if (ending.left !== undefined) await print.warn(`the key may still be in ${place}: ${ending.left}`);
  if (ending.lost === true) await print.warn(`it was no longer in ${place}; to be sure of it, ${wayToRevoke(entry)}`);
  if (ending.why !== undefined) await print.warn(`it could not be revoked: ${ending.why}; ${wayToRevoke(entry)}`);
}

/** What the service has of the key now, as far as is known; of one that ferry had made and nobody tried to revoke, how that is done. */
function whatIsThere(entry: HostEntry, { revoked, lost, why }: Omit<Ending, "deleted">): string {
  if (revoked) return "the key is revoked";
  const key = entry.keyId === undefined ? "the key" : `the key ${entry.keyId}`;
  if (lost === true) return `${key} may still be valid there`;
  return `${key} was not revoked there${entry.minted === true && why === undefined ? `: ${wayToRevoke(entry)}` : ""}`;
}

function isKeySet({ host }: Context): boolean {
  return (host.env["FERRY_API_KEY"] ?? "") !== "";
}

interface Ending {
  readonly deleted: boolean;
  readonly revoked: boolean;
  /** Why not, where it was tried. */
  readonly why?: string;
  /** It was to be revoked, and isn't here: a logout that was killed may have done that, or somebody deleted it. */
  readonly lost?: boolean;
  /** Why it may not be deleted. */
  readonly left?: string;
}

async function forget({ host }: Context, credentials: Credentials, entry: HostEntry): Promise<Ending> {
  const ending = await credentials.delete(entry).then(
    (deleted) => ({ deleted }),
    (error: unknown) => ({ deleted: false, left: asFerryError(error).message }),
  );
  await updateConfig(host, (config) => without(config, entry));
  return { ...ending, revoked: false };
}

/** @throws FerryError auth, with the ways out, where the keychain can't be asked */
async function endLogin(
  context: Context,
  credentials: Credentials,
  entry: HostEntry,
  { revoke, trouble }: Options & { readonly trouble: FerryError | undefined },
): Promise<Ending> {
  let ending: Pick<Ending, "revoked" | "why" | "lost"> = { revoked: false };
  try {
    if (trouble !== undefined) throw trouble;
    if (revoke || entry.minted === true) ending = await end(context, credentials, entry);
    const deleted = await credentials.delete(entry);
    await updateConfig(context.host, (config) => without(config, entry));
    return { ...ending, deleted };
  } catch (error) {
    const { kind, code, message, hint } = asFerryError(error);
    const isKeychain = entry.store === "keychain" && kind === "auth";
    if (!ending.revoked && !isKeychain) throw error;
    throw new FerryError(
      ending.revoked ? kindNow(kind, context.host.interrupt) : kind,
      ending.revoked ? `the key is revoked, but the login is still kept here: ${message}` : message,
      {
        code,
        hint: isKeychain
          ? `${code === "locked" ? "unlock it and try again" : "try again"}, or drop the login all the same: ferry logout --forget --host ${shellWord(hostName(entry.url))}`
          : hint,
        cause: error,
      },
    );
  }
}

/** A login that took its place in the meantime has its key elsewhere, and stays. */
function without(config: Config, entry: HostEntry): Config {
  return { ...config, hosts: config.hosts.filter((other) => !isSamePlace(other, entry)) };
}

/** A service that is down, or a key that is gone, keeps nobody logged in here. */
async function end(
  context: Context,
  credentials: Credentials,
  entry: HostEntry,
): Promise<Pick<Ending, "revoked" | "why" | "lost">> {
  const { host } = context;
  const key = await credentials.find(entry);
  if (key === undefined && !(await readConfig(host)).hosts.some((other) => isSamePlace(other, entry)))
    throw new FerryError("auth", `another ferry ended or renewed the login to ${hostName(entry.url)} meanwhile`, {
      hint: "see what there is now: ferry auth status",
    });
  if (key === undefined) return { revoked: false, lost: true };
  const why = await endKey(context, entry.url, key, host.interrupt);
  return why === undefined ? { revoked: true } : { revoked: false, why };
}
