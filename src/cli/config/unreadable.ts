import { dirname } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import type { FileStatus, Host } from "../../host/host.ts";

/**
 * Throws the error of a file or folder of ferry's that can't be read; where the system forbids it, with who owns it and what gives it
 * back: a ferry under `sudo -E` may have made it root's.
 */
export async function unreadable(host: Host, path: string, error: unknown): Promise<never> {
  if (!(error instanceof FerryError) || error.hint !== undefined || !isForbidden(error.cause)) throw error;
  const { kind, message, cause } = error;
  throw new FerryError(kind, message, { hint: await remedy(host, path), cause });
}

function isForbidden(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "EACCES" || cause.code === "EPERM");
}

/** What is in a folder that can't be entered isn't seen: then the folder is in the way. */
async function remedy(host: Host, path: string): Promise<string> {
  const status = await seen(host, path);
  if (status === undefined) return dirname(path) === path ? "let it be read" : remedy(host, dirname(path));
  const [word, isFolder] = [shellWord(path), status.kind === "folder"];
  if (status.uid === host.uid) return `let yourself read it: chmod u+rw${isFolder ? "x" : ""} ${word}`;
  const owner = status.uid === 0 ? "root" : `another user (${status.uid})`;
  return `${path} belongs to ${owner}: sudo chown ${isFolder ? "-R " : ""}${host.uid} ${word}`;
}

async function seen({ files }: Host, path: string): Promise<FileStatus | undefined> {
  return files.status(path).catch(() => undefined);
}
