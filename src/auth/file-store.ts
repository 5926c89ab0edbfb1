import { dirname } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Files, SecretStore } from "../host/host.ts";

/** Secrets by service and account. */
type Content = Record<string, Record<string, string>>;

/** keytar's five calls over a file that only its owner can read, in a folder that only its owner can enter. */
export function makeFileStore(files: Files, path: string): SecretStore {
  const change = async (edit: (content: Content) => Content): Promise<void> => {
    await files.makeFolder(dirname(path), 0o700);
    await shut(files, dirname(path));
    await files.write(path, `${JSON.stringify(edit(await readContent(files, path)), undefined, 2)}\n`, 0o600);
  };
  return {
    getPassword: async (service, account) => (await readContent(files, path))[service]?.[account] ?? null,
    setPassword: (service, account, password) =>
      change((content) => ({ ...content, [service]: { ...content[service], [account]: password } })),
    async deletePassword(service, account) {
      const there = (await readContent(files, path))[service]?.[account] !== undefined;
      if (there) await change((content) => without(content, service, account));
      return there;
    },
    findPassword: async (service) => Object.values((await readContent(files, path))[service] ?? {})[0] ?? null,
    findCredentials: async (service) =>
      Object.entries((await readContent(files, path))[service] ?? {}).map(([account, password]) => ({ account, password })),
  };
}

/** Our folder may have been there before, open to others. One with other things in it, such as a home, isn't ours to shut. */
async function shut(files: Files, folder: string): Promise<void> {
  const names = await files.list(folder);
  if (names.every((name) => /^(config|credentials)\.json/u.test(name))) await files.shutFolder(folder);
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
