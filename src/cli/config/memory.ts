import { dirname, join } from "node:path";
import { foreignFolder } from "../../auth/owner.ts";
import { UnwritableError } from "../../base/errors.ts";
import { fileName } from "../../base/file-name.ts";
import { isObject } from "../../client/answers.ts";
import type { Memory } from "../../client/memory.ts";
import { findFolders } from "../../base/folders.ts";
import type { Host } from "../../host/host.ts";

/** What is remembered of one host, in a file of its own in the state folder. Lost, damaged, or unreadable, it is found out anew. */
export function makeMemory(host: Host, origin: string): Memory {
  const path = join(findFolders(host).state, "hosts", fileName(origin, ".json"));
  return {
    get: async (key) => (await read(host, path))[key],
    async set(key, value) {
      const { [key]: before, ...rest } = await read(host, path);
      if (before === undefined && value === undefined) return;
      // Root's would be in the way of the user whose home it is.
      if ((await foreignFolder(host, dirname(path)).catch(() => path)) !== undefined) return;
      await host.files
        .write(path, JSON.stringify(value === undefined ? rest : { ...rest, [key]: value }))
        .catch(unlessUnwritable);
    },
  };
}

async function read(host: Host, path: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse((await host.files.readText(path)) ?? "");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A home that can't be written to costs a request more in each run, and no command its success. */
function unlessUnwritable(error: unknown): void {
  if (!(error instanceof UnwritableError)) throw error;
}
