import { type GitPath, pathBytes } from "../../git/path.ts";

/**
 * Why a path may not be written by a series, as a phrase after its name; undefined where it may. Git's own rules for `.git` and
 * its disguises are those of verify_path (read-cache.c) with core.protectHFS and core.protectNTFS, on every system: a repository
 * is shared.
 */
export function badPath(path: GitPath, platform: NodeJS.Platform): string | undefined {
  if (path === "" || path.startsWith("/") || path.endsWith("/")) return "isn't a path";
  if (pathBytes(path).length > maxPath) return `is longer than ${maxPath} bytes`;
  for (const name of path.split("/")) {
    const reason = badName(name) ?? (platform === "win32" ? badOnWindows(name) : undefined);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Linux's PATH_MAX and NAME_MAX; elsewhere they are smaller, and the system itself says so. */
const maxPath = 4096;
const maxName = 255;

function badName(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return "leaves its folder";
  if (name.includes("\0")) return "has a NUL in it";
  if (isDotGit(name)) return "is git's own folder, or looks like it to some system";
  if (name.length > maxName) return `has a name of more than ${maxName} bytes`;
  return undefined;
}

/** `.git` itself, in any case, behind HFS+'s ignored characters, as NTFS's short name, stream, or with what NTFS drops at the end. */
export function isDotGit(name: string): boolean {
  const seen = Buffer.from(name, "latin1").toString("utf8").replace(ignoredByHfs, "").toLowerCase();
  return seen.split("\\").some((part) => /^(\.git|git~1)[ .]*(:.*)?$/su.test(part));
}

/** utf8.c, next_hfs_char. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** path.c, is_valid_win32_path: reserved characters, a dot or blank at the end, device names with or without an extension. */
function badOnWindows(name: string): string | undefined {
  if (/[\u0000-\u001f<>:"|?*\\]/u.test(name) || /[ .]$/u.test(name)) return "can't be a name on Windows";
  if (/^(con|prn|aux|nul|com[1-9]|lpt[1-9]|conin\$|conout\$)\s*(\..*)?$/iu.test(name)) return "is a device on Windows";
  return undefined;
}

/** Two paths with the same fold are one file where the file system ignores case or Unicode form (Windows, macOS). */
export function foldPath(path: GitPath): string {
  return pathBytes(path).toString("utf8").normalize("NFC").toLowerCase();
}
