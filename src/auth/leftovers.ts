import { basename, dirname, join } from "node:path";
import type { Files } from "../host/host.ts";

/** What writers of the file that were killed left beside it. Only who keeps all others from writing may take it for that. */
export async function findLeftovers(files: Files, path: string): Promise<string[]> {
  const start = `${basename(path)}.`;
  const names = (await files.list(dirname(path))).filter(
    (name) => name.startsWith(start) && /^[0-9a-f]{12}$/u.test(name.slice(start.length)),
  );
  return names.map((name) => join(dirname(path), name));
}
