import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gitPath, pathBytes } from "../../git/path.ts";
import { isDotGit } from "./names.ts";

/** Where links may leave the repository: what of it they may never come back to. */
export interface Outside {
  readonly workTree: string;
  readonly gitDirs: readonly string[];
}

/**
 * Whether a place outside, as links.ts tells it (absolute, or from the top of the working copy), is within a folder of git's: by its
 * name, of whatever repository that is, or because it is this one's, which may have any name (`git init --separate-git-dir`). Other
 * links on the way are followed as they are on this disk now.
 */
export async function leadsIntoGit(place: string, { workTree, gitDirs }: Outside): Promise<boolean> {
  const names = place.split("/");
  if (names.some(isDotGit)) return true;
  let at = place.startsWith("/") ? "/" : gitPath(Buffer.from(workTree));
  for (const name of names) {
    if (name === "..") at = dirname(at);
    else if (name !== "" && name !== ".") at = await realOf(join(at, name));
  }
  return gitDirs.map((folder) => gitPath(Buffer.from(folder))).some((folder) => at === folder || at.startsWith(`${folder}/`));
}

/** What isn't there is taken for a plain name: nothing says otherwise. */
async function realOf(path: string): Promise<string> {
  return realpath(pathBytes(path), "buffer").then(gitPath, () => path);
}
