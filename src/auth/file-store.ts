import { basename, dirname, join } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Files, Host, SecretStore } from "../host/host.ts";

/** Secrets by service and account. */
type Content = Record<string, Record<string, string>>;

export interface FileStoreHost extends Pick<Host, "files" | "platform" | "uid"> {
  /** Takes what the user must know of the file. */
  readonly warn: (line: string) => Promise<void>;
}

/**
 * keytar's five calls over a file that only its owner can read, in a folder that only its owner can enter. What was made open to
 * others is shut, and that is said; a link, or somebody else's file, is a FerryError auth.
 */
export function makeFileStore(host: FileStoreHost, path: string): SecretStore {
  const { files } = host;
  const read = async (): Promise<Content> => {
    await guard(host, path);
    return readContent(files, path);
  };
  const change = async (edit: (content: Content) => Content): Promise<void> => {
    await files.makeFolder(dirname(path), 0o700);
    await guardFolder(host, dirname(path));
    await sweep(files, path);
    await shutOurs(files, dirname(path));
    await files.write(path, `${JSON.stringify(edit(await read()), undefined, 2)}\n`, 0o600);
  };
  return {
    getPassword: async (service, account) => (await read())[service]?.[account] ?? null,
    setPassword: (service, account, password) =>
      change((content) => ({ ...content, [service]: { ...content[service], [account]: password } })),
    async deletePassword(service, account) {
      await sweep(files, path);
      const there = (await read())[service]?.[account] !== undefined;
      if (there) await change((content) => without(content, service, account));
      return there;
    },
    findPassword: async (service) => Object.values((await read())[service] ?? {})[0] ?? null,
    findCredentials: async (service) =>
      Object.entries((await read())[service] ?? {}).map(([account, password]) => ({ account, password })),
  };
}

/** Whoever can read the file has its keys, and whoever can put one there chooses whose keys we use. */
async function guard(host: FileStoreHost, path: string): Promise<void> {
  const { files, platform, uid, warn } = host;
  await guardFolder(host, dirname(path));
  const status = await files.status(path);
  if (status === undefined || platform === "win32") return;
  if (status.kind !== "file")
    throw new FerryError(
      "auth",
      `${path} is ${status.kind === "link" ? "a link" : "no file"}: keys are kept in a file of your own`,
      {
        hint: "remove it and log in again",
      },
    );
  if (status.uid !== uid)
    throw new FerryError("auth", `${path} belongs to somebody else`, {
      hint: "remove it and log in again, as yourself and without sudo",
    });
  if ((status.mode & 0o077) !== 0 && (await files.shut(path)))
    await warn(`${path} could be read by others on this machine, and is shut now: if anybody may have looked, make new keys`);
}

/** Whoever owns the folder, or may write in it, can put another file in the place of ours. */
async function guardFolder({ files, platform, uid, warn }: FileStoreHost, path: string): Promise<void> {
  const folder = await files.realPath(path);
  const status = folder === undefined || platform === "win32" ? undefined : await files.status(folder);
  if (folder === undefined || status === undefined) return;
  if (status.uid !== uid && status.uid !== 0)
    throw new FerryError("auth", `${folder} belongs to somebody else`, {
      hint: "let FERRY_CONFIG_DIR name a folder of your own, and log in again",
    });
  // In a sticky one, such as /tmp, nobody replaces what is ours.
  if ((status.mode & 0o1002) !== 0o002) return;
  if (!(await isOurs(files, folder)))
    await warn(`anybody on this machine can write in ${folder}, and so choose whose keys are used: shut it (chmod go-w)`);
  // Where it can't be shut its file system keeps no modes, as login said.
  else if (await files.shut(folder))
    await warn(
      `anybody on this machine could write in ${folder}, and it is shut now: see whether the hosts in its config.json are yours`,
    );
}

/** What a writer that was killed left half done, keys and all. Whoever changes the file has its lock: nobody else is at it. */
async function sweep(files: Files, path: string): Promise<void> {
  const name = basename(path);
  const stale = (await files.list(dirname(path))).filter(
    (other) => other.startsWith(`${name}.`) && /^[0-9a-f]{12}$/u.test(other.slice(name.length + 1)),
  );
  for (const other of stale) await files.remove(join(dirname(path), other));
}

/** Our folder may have been there before, open to others. One with other things in it, such as a home, isn't ours to shut. */
async function shutOurs(files: Files, folder: string): Promise<void> {
  if (await isOurs(files, folder)) await files.shut(folder);
}

async function isOurs(files: Files, folder: string): Promise<boolean> {
  return (await files.list(folder)).every((name) => /^(config|credentials)\.json/u.test(name));
}

async function readContent(files: Files, path: string): Promise<Content> {
  const text = await files.readText(path);
  if (text === undefined) return {};
  try {
    const content: unknown = JSON.parse(text);
    if (isContent(content)) return content;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FerryError("auth", `${path} is damaged`, { hint: "remove it and log in again" });
}

function isContent(value: unknown): value is Content {
  return (
    isRecord(value) &&
    Object.values(value).every((keys) => isRecord(keys) && Object.values(keys).every((key) => typeof key === "string"))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(content: Content, service: string, account: string): Content {
  const { [account]: _, ...rest } = content[service] ?? {};
  return { ...content, [service]: rest };
}
