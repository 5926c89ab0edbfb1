import { join } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Host, SecretStore } from "../host/host.ts";
import { hostName, loginAt } from "./address.ts";
import { makeFileStore } from "./file-store.ts";
import { keychainService as service, probeKeychain } from "./keychain-probe.ts";
import { type LockHost, withLock } from "./lock.ts";
import { tryWriting } from "./writable.ts";

/** Where a key is kept. */
export type StoreName = "keychain" | "file";

/** One login, as the config file has it: everything but the key. */
export interface Login {
  /** The host's address, as parseAddress gives it. A key goes to no other. */
  readonly url: string;
  /** Who the key is. */
  readonly account: string;
  readonly store: StoreName;
  /** Tells where its key is from where that of any other login is; missing in what older versions wrote. */
  readonly item?: string;
}

/** What a store has a key under. */
type Item = Pick<Login, "url" | "account" | "item">;

/** Whether both have their key in the same place. */
export function isSamePlace(one: Item & Pick<Login, "store">, other: Item & Pick<Login, "store">): boolean {
  return one.store === other.store && nameOf(one) === nameOf(other);
}

/** Where a key is about to be put: in the first that takes it. `lack`: why that isn't where it was wanted. */
export interface Places {
  readonly stores: readonly StoreName[];
  readonly lack?: string;
}

export interface Credentials {
  /** @throws FerryError auth where the keychain is locked, silent or gone, or has no such key */
  read(login: Login): Promise<string>;
  /** The same, where it may be gone. At a login a person has time to unlock the keychain. */
  find(login: Login, when?: "at login"): Promise<string | undefined>;
  /**
   * Whether `save` will have a place for a key: asked before a person takes the trouble of a login, so that who is asked to unlock the
   * keychain is asked now, and once.
   * @throws FerryError auth where the keychain is locked or silent, forgets what it takes, or is gone and nothing else is wanted; as
   * `checkFile` does where the file is the place
   */
  check(): Promise<void>;
  /**
   * Whether the file would take a key: as much is written beside it, read back and removed.
   * @throws FerryError auth where it is another's, or damaged; failure where nothing can be written there
   */
  checkFile(): Promise<void>;
  /**
   * Where a key would be put by now, for `save`, which puts it nowhere else: what is noted of it must be all the places where it may be.
   * @throws FerryError usage where FERRY_CREDENTIAL_STORE is no store; auth where the keychain is silent, or locked and says so
   */
  places(): Promise<Places>;
  /** Stores the key and reads it back. Gives where it is now, and a warning where that isn't where it was wanted. */
  save(login: Item, key: string, places: Places): Promise<{ store: StoreName; warning?: string }>;
  /** Whether there was one. */
  delete(login: Login): Promise<boolean>;
  /** In words, for people: `the keychain`, or the file's path. */
  place(store: StoreName): string;
}

const openWords = "which others on this machine can read: its file system keeps no modes";
/** At a login the desktop may be asking its user to unlock the keychain. */
const loginPatience = 15_000;

/** How long another ferry may hold the file of keys, in ms. */
const lockPatience = 5000;

/** More bytes than a key takes with what it is kept under: keys are a header's size at most. */
const longestEntry = 10_000;

export type CredentialsHost = Pick<Host, "env" | "secrets" | "platform" | "uid"> & LockHost;

/** `folder` is the config folder: the file of keys lies in it. `warn` takes what the user must know of that file. */
export function makeCredentials(
  host: CredentialsHost,
  folder: string,
  warn: (line: string) => Promise<void> = async () => undefined,
): Credentials {
  const path = join(folder, "credentials.json");
  const file = makeFileStore({ ...host, warn }, path);
  const place = (store: StoreName): string => (store === "file" ? path : "the keychain");
  const storeOf = (name: StoreName, patience?: number): SecretStore => (name === "file" ? file : host.secrets.keychain(patience));
  return {
    place,
    find,
    checkFile,
    async read(login) {
      const key = await find(login);
      if (key !== undefined) return key;
      throw new FerryError("auth", `the key for ${hostName(login.url)} is no longer in ${place(login.store)}`, {
        hint: loginAt(login.url),
      });
    },
    async check() {
      const wanted = wantedStore(host);
      if (wanted !== "file")
        try {
          await probeKeychain(host.secrets.keychain(loginPatience), host.random);
          return;
        } catch (error) {
          if (wanted === "keychain" || !isUnavailable(error)) throw error;
        }
      await checkFile();
    },
    async places() {
      const wanted = wantedStore(host);
      if (wanted !== undefined) return { stores: [wanted] };
      try {
        // Read alone: who keeps a locked one is asked to unlock it when there is a key to put there, and no sooner.
        await host.secrets.keychain(loginPatience).getPassword(service, "nobody");
        // It may be gone by then.
        return { stores: ["keychain", "file"] };
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        return { stores: ["file"], lack: error.message };
      }
    },
    async save(login, key, { stores, lack }) {
      const mayFall = stores.includes("file");
      let why = lack;
      if (stores.includes("keychain"))
        try {
          return await keep(host.secrets.keychain(loginPatience), "keychain", login, key);
        } catch (error) {
          if (!mayFall || !isUnavailable(error)) throw error;
          why = error.message;
        }
      const kept = await keep(file, "file", login, key);
      const open = await isOpen();
      if (why !== undefined)
        return { ...kept, warning: `${why}; the key is kept in ${path}, ${open ? openWords : "readable only by you"}` };
      return open ? { ...kept, warning: `the key is kept in ${path}, ${openWords}` } : kept;
    },
    delete: (login) => alone(login.store, () => storeOf(login.store).deletePassword(service, nameOf(login))),
  };

  async function checkFile(): Promise<void> {
    // One that is another's, or damaged, takes no key.
    await file.findPassword(service);
    // Blanks in the place of the keys that there are: what a kill leaves of it holds none.
    const text = async (): Promise<string> => "{}".padEnd(((await host.files.status(path))?.size ?? 0) + longestEntry);
    await tryWriting(host, path, { text, patience: lockPatience });
  }

  async function isOpen(): Promise<boolean> {
    return host.platform !== "win32" && (((await host.files.status(path))?.mode ?? 0) & 0o077) !== 0;
  }

  async function find(login: Login, when?: "at login"): Promise<string | undefined> {
    const store = storeOf(login.store, when && loginPatience);
    return (await store.getPassword(service, nameOf(login))) ?? undefined;
  }

  async function keep(store: SecretStore, name: StoreName, login: Item, key: string): Promise<{ store: StoreName }> {
    const kept = await alone(name, async () => {
      await store.setPassword(service, nameOf(login), key);
      return store.getPassword(service, nameOf(login));
    });
    // Some keychains take a secret and forget it: better told now than by the next command.
    if (kept !== key)
      throw new FerryError("auth", `${place(name)} did not keep the key`, { hint: "set FERRY_CREDENTIAL_STORE=file" });
    return { store: name };
  }

  /** The file is read, changed and replaced as a whole: a login at the same moment would lose what another one put there. */
  function alone<T>(name: StoreName, work: () => Promise<T>): Promise<T> {
    return name === "file" ? withLock(host, `${path}.lock`, lockPatience, work) : work();
  }
}

/** Who the key is isn't known yet when one is stored that was just made. */
function nameOf({ url, account, item }: Item): string {
  return item === undefined ? `${account} ${url}` : `${url} ${item}`;
}

/**
 * FERRY_CREDENTIAL_STORE; undefined: the keychain, or where there is none the file.
 * @throws FerryError usage where it is neither
 */
export function wantedStore({ env }: Pick<Host, "env">): StoreName | undefined {
  const wanted = env["FERRY_CREDENTIAL_STORE"] ?? "";
  if (wanted === "") return undefined;
  if (wanted === "keychain" || wanted === "file") return wanted;
  throw new FerryError("usage", `FERRY_CREDENTIAL_STORE is "${wanted}"`, { hint: "set it to keychain or file" });
}

function isUnavailable(error: unknown): error is FerryError {
  return error instanceof FerryError && error.code === "unavailable";
}
