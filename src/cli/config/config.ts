import { dirname, join } from "node:path";
import { isSamePlace, type Login } from "../../auth/credentials.ts";
import type { Holder } from "../../auth/holder.ts";
import { findLeftovers } from "../../auth/leftovers.ts";
import { FerryError } from "../../base/errors.ts";
import { findFolders } from "../../base/folders.ts";
import { shellWord } from "../../base/words.ts";
import type { Host } from "../../host/host.ts";
import { withLock } from "../../auth/lock.ts";
import { foreignFolder, notYours } from "../../auth/owner.ts";
import { tryWriting } from "../../auth/writable.ts";
import { unreadable } from "./unreadable.ts";
import { findSetting, misfit, type Settings } from "./settings.ts";

/** The config file: never a secret. What a newer ferry wrote beside these fields is kept. */
export interface Config {
  readonly version: 1;
  /** The last one logged in to comes first. */
  readonly hosts: readonly HostEntry[];
  readonly settings?: Settings;
  /** Logins that are being made or replaced just now, or were when their process was killed. */
  readonly pending?: readonly PendingLogin[];
}

export interface HostEntry extends Login {
  /** The workspace's name, where the service told it. */
  readonly workspace?: string;
  /** Its id, likewise: names need not differ. */
  readonly workspaceId?: string;
  /** The key's id at the service, where it told it: the keys of all logins on a machine have the same name there. */
  readonly keyId?: string;
  /** Whether ferry's login had the key made: then logout ends it at the service, too. */
  readonly minted?: boolean;
}

/** Where a key may be that is no login's yet, or no more, and the process that sees to it. `account` is empty until it is known. */
export interface PendingLogin extends HostEntry {
  readonly by: Holder;
  /** Epoch milliseconds; missing in what older versions wrote. */
  readonly since?: number;
}

const patience = 5000;
/** In bytes; some thousands of logins. */
const largest = 1024 * 1024;

export function configPath(host: Host): string {
  return join(findFolders(host).config, "config.json");
}

/**
 * What of it this ferry knows: settings of a newer one stay in the file, and mean nothing here.
 * @throws FerryError usage for a file that is broken, from a newer ferry, or has a value of the wrong type, which is named; auth for somebody else's, and one that anybody can write
 */
export async function readConfig(host: Host): Promise<Config> {
  const { settings, ...rest } = await readAll(host);
  if (settings === undefined) return rest;
  checkSettings(settings, configPath(host));
  return { ...rest, settings: Object.fromEntries(Object.entries(settings).filter(([name]) => findSetting(name) !== undefined)) };
}

/**
 * The names of the settings in the file that this ferry doesn't know.
 * @throws FerryError as readConfig does
 */
export async function unknownSettings(host: Host): Promise<string[]> {
  return Object.keys((await readAll(host)).settings ?? {}).filter((name) => findSetting(name) === undefined);
}

/** With settings of which only the names are sure, so that a wrong value can be replaced. */
async function readAll(host: Host): Promise<Config> {
  const path = configPath(host);
  const text = await readChecked(host, path).catch((error: unknown) => unreadable(host, path, error));
  if (text === undefined) return { version: 1, hosts: [] };
  return checked(parsed(text, path), path);
}

async function readChecked(host: Host, path: string): Promise<string | undefined> {
  await checkFile(host, path);
  return readText(host, path);
}

/** Who can write it says where keys go, and what runs. Root trusts a user's own, as in a container whose home is the user's. */
async function checkFile({ files, platform, uid }: Host, path: string): Promise<void> {
  const real = await files.realPath(path);
  const status = real === undefined ? undefined : await files.status(real);
  if (real === undefined || status === undefined) return;
  if (status.size > largest)
    throw new FerryError("usage", `${path} is larger than 1 MiB`, { hint: "mend it, or remove it and log in again" });
  if (platform === "win32") return;
  // Nobody gets at what lies in a folder that others can't enter, as ours is.
  if ((status.mode & 0o002) !== 0 && (((await files.status(dirname(real)))?.mode ?? 0) & 0o001) !== 0)
    throw new FerryError("auth", `anybody on this machine can write in ${path}`, {
      hint: `see whether the hosts and commands in it are yours, then: chmod go-w ${shellWord(path)}`,
    });
  if (uid === 0 || status.uid === uid || status.uid === 0) return;
  throw new FerryError("auth", `${path} belongs to somebody else`, { hint: "remove it and log in again, as yourself" });
}

/**
 * Changes it in one step, also where two do so at once. Gives what it is then.
 * @throws FerryError as readConfig does, but not for a setting: so a wrong one can be replaced
 */
export async function updateConfig(host: Host, change: (config: Config) => Config): Promise<Config> {
  const path = configPath(host);
  await checkFolder(host);
  return withLock(host, `${path}.lock`, patience, async () => {
    // Those who keep their settings elsewhere leave a link here, which must stay one.
    const target = await host.files.target(path);
    const left = await findLeftovers(host.files, target);
    const config = change(await withLeft(host, await readAll(host), left));
    await host.files.write(target, written(config, path));
    for (const other of left) await host.files.remove(other);
    return config;
  });
}

/**
 * Whether it can be changed, asked before a person takes the trouble of a login: what is in it is written beside it, and removed.
 * @throws FerryError as updateConfig does
 */
export async function checkConfig(host: Host): Promise<void> {
  const path = configPath(host);
  await checkFolder(host);
  await readAll(host);
  await tryWriting(host, path, { patience, text: async () => written(await readAll(host), path) });
}

/** @throws FerryError auth where it would be a change of another user's logins */
export async function checkFolder(host: Host): Promise<void> {
  const path = dirname(configPath(host));
  const foreign = await foreignFolder(host, path).catch((error: unknown) => unreadable(host, path, error));
  if (foreign !== undefined) throw notYours(foreign);
}

/** What nests too deep can be read, but not written again. */
function written(config: Config, path: string): string {
  try {
    return `${JSON.stringify(config, undefined, 2)}\n`;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new FerryError("usage", `${path} can't be changed: something in it nests too deep`, {
      hint: "mend it, or remove it and log in again",
      cause,
    });
  }
}

/** Puts in place what a writer noted that was killed before it had. */
export async function recoverConfig(host: Host): Promise<void> {
  const path = configPath(host);
  const left = await findLeftovers(host.files, await host.files.target(path));
  if (left.length > 0) await updateConfig(host, (config) => config);
}

/** With the logins that a writer noted which was killed before it had put them in place: nothing else knows of their keys. */
async function withLeft(host: Host, config: Config, left: readonly string[]): Promise<Config> {
  const known: HostEntry[] = [...config.hosts, ...(config.pending ?? [])];
  for (const path of left) {
    const { pending = [] } = await readWhole(host, path);
    known.push(...pending.filter((note) => !known.some((other) => isSamePlace(other, note))));
  }
  const pending = known.filter((one): one is PendingLogin => "by" in one);
  return pending.length === 0 ? config : { ...config, pending };
}

/** What it says of pending logins, where it is the user's own and not cut off. */
async function readWhole(host: Host, path: string): Promise<Pick<Config, "pending">> {
  try {
    await checkFile(host, path);
    return checked(parsed((await readText(host, path)) ?? "", path), path);
  } catch (error) {
    if (error instanceof FerryError) return {};
    throw error;
  }
}

/** What isn't UTF-8 (RFC 8259, 8.1) would be another text in ferry, and in the file after the next change of it. */
async function readText({ files }: Host, path: string): Promise<string | undefined> {
  const text = await files.readText(path);
  if (text?.includes("\ufffd") !== true || Buffer.from(text).equals((await files.read(path)) ?? Buffer.of())) return text;
  throw new FerryError("usage", `${path} is no UTF-8`, { hint: "mend it, or remove it and log in again" });
}

function parsed(text: string, path: string): unknown {
  try {
    // RFC 8259, 8.1: a byte order mark, which editors of Windows put there, may be ignored.
    return JSON.parse(text.replace(/^\ufeff/u, ""));
  } catch (cause) {
    throw new FerryError("usage", `${path} is no JSON`, { hint: "mend it, or remove it and log in again", cause });
  }
}

function checked(value: unknown, path: string): Config {
  if (!isRecord(value)) throw wrong(path, "the whole", "an object");
  if (value["version"] !== 1) {
    const newer = typeof value["version"] === "number" && value["version"] > 1;
    throw newer
      ? new FerryError("usage", `${path} was written by a newer ferry`, { hint: "update this one" })
      : wrong(path, "version", "1");
  }
  const hosts = value["hosts"] ?? [];
  if (!Array.isArray(hosts)) throw wrong(path, "hosts", "an array");
  (hosts as unknown[]).forEach((entry, at) => checkEntry(entry, `hosts[${at}]`, path));
  const pending = value["pending"] ?? [];
  if (!Array.isArray(pending)) throw wrong(path, "pending", "an array");
  (pending as unknown[]).forEach((entry, at) => checkPending(entry, `pending[${at}]`, path));
  if (value["settings"] !== undefined && !isRecord(value["settings"])) throw wrong(path, "settings", "an object");
  return { ...value, version: 1, hosts: hosts as HostEntry[] };
}

function checkEntry(entry: unknown, key: string, path: string): void {
  if (!isRecord(entry)) throw wrong(path, key, "an object");
  for (const name of ["url", "account"]) if (typeof entry[name] !== "string") throw wrong(path, `${key}.${name}`, "a string");
  if (entry["store"] !== "keychain" && entry["store"] !== "file") throw wrong(path, `${key}.store`, `"keychain" or "file"`);
  for (const name of ["workspace", "workspaceId", "item", "keyId"])
    if (entry[name] !== undefined && typeof entry[name] !== "string") throw wrong(path, `${key}.${name}`, "a string");
  if (entry["minted"] !== undefined && typeof entry["minted"] !== "boolean") throw wrong(path, `${key}.minted`, "true or false");
}

function checkPending(entry: unknown, key: string, path: string): void {
  checkEntry(entry, key, path);
  const by = isRecord(entry) && isRecord(entry["by"]) ? entry["by"] : {};
  const space = by["space"] === undefined || typeof by["space"] === "string";
  if (typeof by["pid"] !== "number" || typeof by["startTime"] !== "string" || !space) throw wrong(path, `${key}.by`, "a process");
  if (isRecord(entry) && entry["since"] !== undefined && typeof entry["since"] !== "number")
    throw wrong(path, `${key}.since`, "a time");
}

function checkSettings(kept: Settings, path: string): void {
  for (const [name, value] of Object.entries(kept)) {
    const setting = findSetting(name);
    const right = setting === undefined ? undefined : misfit(setting, value);
    if (right !== undefined) throw wrong(path, `settings.${name}`, right, `ferry config unset ${name}`);
  }
}

function wrong(path: string, key: string, right: string, hint = "mend it, or remove the file and log in again"): FerryError {
  return new FerryError("usage", `${path}: ${key} is not ${right}`, { hint });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
