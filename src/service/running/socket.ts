import { createHash } from "node:crypto";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import type { Host } from "../../host/host.ts";

export type SocketHost = Pick<Host, "env" | "platform" | "files" | "uid">;

/** Node cuts a longer path silently (sun_path has 104 bytes on macOS and 108 on Linux). */
const maxBytes = 100;

/**
 * Where the service of a data folder listens: in the folder, or where that path is too long in a private folder nearby; on
 * Windows a named pipe.
 * @throws FerryError failure where no private folder with a short path can be had
 */
export async function placeSocket(data: string, host: SocketHost): Promise<string> {
  if (host.platform === "win32") return `\\\\.\\pipe\\${nameOf(data)}`;
  return join(await placeSockets(data, "ferry.sock", host), "ferry.sock");
}

/**
 * The private folder in which a socket whose path goes on with `rest` can be: the data folder, or where that path would be too long
 * one nearby. A link of this user's to one is followed, once and for all.
 * @throws FerryError failure where there is none with a path that is short enough, or it isn't this user's alone
 */
export async function placeSockets(data: string, rest: string, host: SocketHost): Promise<string> {
  const folder = await folderFor(data, rest, host);
  await host.files.makeFolder(folder, 0o700);
  await requirePrivate(folder, host);
  return folder;
}

/**
 * Looks whether a service could have its socket for this data folder, and makes nothing.
 * @throws FerryError failure as placeSockets does
 */
export async function checkSocket(data: string, host: SocketHost): Promise<void> {
  if (host.platform === "win32") return;
  const folder = await folderFor(data, "ferry.sock", host);
  if ((await host.files.status(folder)) !== undefined) await requirePrivate(folder, host);
}

async function folderFor(data: string, rest: string, host: SocketHost): Promise<string> {
  const temporary = host.env["TMPDIR"] ?? "/tmp";
  const nearby = [host.env["XDG_RUNTIME_DIR"] ?? temporary, temporary, "/tmp"].map((folder) => join(folder, nameOf(data)));
  const own = await behindLink(data, host);
  const folder = [own, ...nearby].find((candidate) => Buffer.byteLength(join(candidate, rest)) <= maxBytes);
  if (folder !== undefined) return folder;
  throw new FerryError("failure", `every path for the service's socket is longer than ${maxBytes} bytes`, {
    hint: "choose a data folder with a shorter path: --data or FERRY_DATA_DIR",
  });
}

/** A link that someone else made could lead elsewhere at any time. */
async function behindLink(data: string, { files, uid }: SocketHost): Promise<string> {
  const status = await files.status(data);
  return status?.kind === "link" && status.uid === uid ? files.target(data) : data;
}

function nameOf(data: string): string {
  return `ferry-${createHash("sha256").update(data).digest("hex").slice(0, 16)}`;
}

/** Whoever else could write there could take the socket's place. */
async function requirePrivate(folder: string, { files, uid }: SocketHost): Promise<void> {
  const status = await files.status(folder);
  const isOwn = status?.kind === "folder" && status.uid === uid;
  if (isOwn && (status.mode & 0o077) === 0) return;
  throw new FerryError("failure", `the folder for the service's socket is not this user's alone: ${folder}`, {
    hint: isOwn
      ? `make it so (chmod go= ${shellWord(folder)}), or remove it`
      : "it must be a folder of yours, or a link of yours to one: name another with --data or FERRY_DATA_DIR",
  });
}
