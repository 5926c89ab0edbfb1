import { createHash } from "node:crypto";
import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
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
 * one nearby.
 * @throws FerryError failure where there is none with a path that is short enough
 */
export async function placeSockets(data: string, rest: string, host: SocketHost): Promise<string> {
  const temporary = host.env["TMPDIR"] ?? "/tmp";
  const nearby = [host.env["XDG_RUNTIME_DIR"] ?? temporary, temporary, "/tmp"].map((folder) => join(folder, nameOf(data)));
  const folder = [data, ...nearby].find((candidate) => Buffer.byteLength(join(candidate, rest)) <= maxBytes);
  if (folder === undefined)
    throw new FerryError("failure", `every path for the service's socket is longer than ${maxBytes} bytes`, {
      hint: "choose a data folder with a shorter path: --data or FERRY_DATA_DIR",
    });
  await makePrivate(folder, host);
  return folder;
}

function nameOf(data: string): string {
  return `ferry-${createHash("sha256").update(data).digest("hex").slice(0, 16)}`;
}

/** Whoever else could write there could take the socket's place. */
async function makePrivate(folder: string, { files, uid }: SocketHost): Promise<void> {
  await files.makeFolder(folder, 0o700);
  const status = await files.status(folder);
  if (status?.kind === "folder" && status.uid === uid && (status.mode & 0o077) === 0) return;
  throw new FerryError("failure", `the folder for the service's socket is not this user's alone: ${folder}`, {
    hint: `make it so (chmod go= ${folder}), or remove it`,
  });
}
