import { posix, win32 } from "node:path";
import { FerryError } from "./errors.ts";

/** Where ferry keeps things of its own; absolute paths, none of them made yet. */
export interface Folders {
  /** What the user chose: hosts, settings, the credentials file. */
  readonly config: string;
  /** What can be lost: cursors, caches, what a host answered. */
  readonly state: string;
  /** The embedded service's own: database, repositories, sandboxes, keys. */
  readonly data: string;
}

export interface FolderSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/**
 * FERRY_CONFIG_DIR, FERRY_STATE_DIR and FERRY_DATA_DIR, else the XDG Base Directory Specification's folders (a relative one
 * is ignored, as it asks), else the platform's own.
 * @throws FerryError usage where a FERRY_ variable isn't an absolute path: it would mean another folder in each directory
 */
export function findFolders(source: FolderSource): Folders {
  const { env, platform } = source;
  const paths = platform === "win32" ? win32 : posix;
  const choose = (kind: keyof Folders): string => {
    const own = `FERRY_${kind.toUpperCase()}_DIR`;
    const chosen = env[own];
    if (chosen !== undefined && chosen !== "") {
      if (paths.isAbsolute(chosen)) return chosen;
      throw new FerryError("usage", `${own} is not an absolute path: ${chosen}`, { hint: `give ${own} as an absolute path` });
    }
    const xdg = env[`XDG_${kind.toUpperCase()}_HOME`];
    return xdg !== undefined && paths.isAbsolute(xdg) ? paths.join(xdg, "ferry") : presetFolders(source)[kind];
  };
  return { config: choose("config"), state: choose("state"), data: choose("data") };
}

/** Looks for a home only where nothing else was chosen: some users have none. */
function presetFolders({ platform, home, env }: FolderSource): Folders {
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? win32.join(home, "AppData", "Local");
    const roaming = env["APPDATA"] ?? win32.join(home, "AppData", "Roaming");
    // Side by side: who removes the service's data keeps the state.
    return { config: win32.join(roaming, "ferry"), state: win32.join(local, "ferry-state"), data: win32.join(local, "ferry") };
  }
  return {
    config: posix.join(home, ".config", "ferry"),
    state: posix.join(home, ".local", "state", "ferry"),
    data:
      platform === "darwin"
        ? posix.join(home, "Library", "Application Support", "ferry")
        : posix.join(home, ".local", "share", "ferry"),
  };
}
