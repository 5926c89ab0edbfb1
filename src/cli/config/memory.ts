import { join } from "node:path";
import { UnwritableError } from "../../base/errors.ts";
import { fileName } from "../../base/file-name.ts";
import type { Memory } from "../../client/memory.ts";
import { findFolders } from "../../base/folders.ts";
import type { Host } from "../../host/host.ts";

/** What is remembered of one host, in a file of its own in the state folder. Lost or damaged, it is found out anew. */
export function makeMemory(host: Host, origin: string): Memory {
  const path = join(findFolders(host).state, "hosts", fileName(origin, ".json"));
  return {
    get: async (key) => (await read(host, path))[key],
    async set(key, value) {
      const { [key]: before, ...rest } = await read(host, path);
      if (before === undefined && value === undefined) return;
      await host.files
        .write(path, JSON.stringify(value === undefined ? rest : { ...rest, [key]: value }))
        .catch(unlessUnwritable);
    },
  };
}

async function read(host: Host, path: string): Promise<Record<string, unknown>> {
  const text = await host.files.readText(path);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A home that can't be written to costs a request more in each run, and no command its success. */
function unlessUnwritable(error: unknown): void {
  if (!(error instanceof UnwritableError)) throw error;
}
