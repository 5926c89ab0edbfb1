import type { GitPath } from "../../git/path.ts";
import { isDotGit } from "./names.ts";

/** The links of one tree: where each points, as bytes in latin1. */
export type Links = ReadonlyMap<GitPath, string>;

/** path_resolution(7): Linux follows 40. */
const maxFollowed = 40;
const maxTarget = 4095;

/** The one reason that a user may waive. */
export const outOfRepository = "leads out of the repository";

/** How a link leads where it may not, and to which place, as far as names tell. */
export interface Escape {
  readonly reason: string;
  readonly place: string;
}

/**
 * Whether a link leads where it may not: out of the repository or into `.git`; undefined where it stays inside. Resolved name by name as
 * the system would, so that a chain of links, each of them inside, can't lead outside together.
 */
export function badLink(path: GitPath, links: Links, platform: NodeJS.Platform): Escape | undefined {
  const at: string[] = [];
  let todo = path.split("/");
  const seen = new Set<string>();
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (at.pop() === undefined) return { reason: outOfRepository, place: ["..", ...todo].join("/") };
      continue;
    }
    if (isDotGit(name)) return { reason: "leads into .git", place: [...at, name, ...todo].join("/") };
    const target = links.get([...at, name].join("/"));
    if (target === undefined) {
      at.push(name);
      continue;
    }
    // A circle leads nowhere, for whoever follows it.
    const place = [...at, name, ...todo].join("/");
    if (seen.has(place)) return undefined;
    seen.add(place);
    if (seen.size > maxFollowed || target.length > maxTarget) return { reason: "leads through too many links", place };
    // symlink(2) takes what stands before it: the link on disk is another than the one in git.
    if (target.includes("\0")) return { reason: "holds a NUL", place: target };
    const local = platform === "win32" ? target.replaceAll("\\", "/") : target;
    if (local.startsWith("/") || (platform === "win32" && /^[a-z]:/iu.test(local)))
      return { reason: outOfRepository, place: [local, ...todo].join("/") };
    todo = [...local.split("/"), ...todo];
  }
  return undefined;
}
