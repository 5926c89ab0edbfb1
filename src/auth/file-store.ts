import { dirname } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Files, Host, SecretStore } from "../host/host.ts";
import { findLeftovers } from "./leftovers.ts";
import { notYours } from "./owner.ts";

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
  // What a writer had not put in place when it was killed may have the only copy of a key that is valid.
  const readAll = async (): Promise<Content> => merged([...(await readLeftovers(host, path)), await read()]);
  const change = async (edit: (content: Content) => Content): Promise<void> => {
    await files.makeFolder(dirname(path), 0o700);
    await guardFolder(host, dirname(path));
    await shutOurs(files, dirname(path));
    const left = await findLeftovers(files, path);
    await files.write(path, `${JSON.stringify(edit(await readAll()), undefined, 2)}\n`, 0o600);
    for (const other of left) await files.remove(other);
  };
  return {
    getPassword: async (service, account) => (await read())[service]?.[account] ?? (await readAll())[service]?.[account] ?? null,
    setPassword: (service, account, password) =>
      change((content) => ({ ...content, [service]: { ...content[service], [account]: password } })),
    async deletePassword(service, account) {
      const there = (await readAll())[service]?.[account] !== undefined;
      if (there) await change((content) => without(content, service, account));
      else for (const other of await findLeftovers(files, path)) await files.remove(other);
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
  if (status.uid !== uid && status.uid !== 0) throw notYours(folder);
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

/** Those of the user's own that are whole. What somebody else put there would choose whose keys are used. */
async function readLeftovers({ files, platform, uid }: FileStoreHost, path: string): Promise<Content[]> {
  const contents: Content[] = [];
  for (const other of await findLeftovers(files, path)) {
    const status = await files.status(other);
    if (status?.kind !== "file" || (platform !== "win32" && status.uid !== uid)) continue;
    const content = parsed((await files.readText(other)) ?? "");
    if (content !== undefined) contents.push(content);
  }
  return contents;
}

/** Later ones win. */
function merged(contents: readonly Content[]): Content {
  const whole: Record<string, Record<string, string>> = {};
  for (const content of contents)
    for (const [service, keys] of Object.entries(content)) whole[service] = { ...whole[service], ...keys };
  return whole;
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
  const content = text === undefined ? {} : parsed(text);
  if (content !== undefined) return content;
  throw new FerryError("auth", `${path} is damaged`, { hint: "remove it and log in again" });
}

/** Undefined for what is cut off, or something else. */
function parsed(text: string): Content | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isContent(content) ? content : undefined;
  } catch {
    return undefined;
  }
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
