import { dirname } from "node:path";
import { FerryError } from "../base/errors.ts";
import type { Host } from "../host/host.ts";

/**
 * The folder of another user's that something made in `path` would lie in; undefined where it is this user's, or the system's. What root
 * makes in a user's home that user can neither read nor change: so under `sudo -E` the nearest folder counts that is there already. In a
 * container root may have another's home for good, as the jobs of some CI services have.
 */
export async function foreignFolder(
  host: Pick<Host, "files" | "platform" | "uid" | "env">,
  path: string,
): Promise<string | undefined> {
  const { files, platform, uid, env } = host;
  if (platform === "win32") return undefined;
  const folder = await files.realPath(path);
  const status = folder === undefined ? undefined : await files.status(folder);
  if (status !== undefined) return status.uid === uid || status.uid === 0 ? undefined : folder;
  const above = dirname(path);
  return uid !== 0 || (env["SUDO_UID"] ?? "") === "" || above === path ? undefined : foreignFolder(host, above);
}

/** What is said of a folder for keys and logins that is another user's. */
export function notYours(folder: string): FerryError {
  return new FerryError("auth", `${folder} belongs to somebody else`, {
    hint: "run it as that user, without sudo, or let FERRY_CONFIG_DIR name a folder of your own, and log in again",
  });
}
