import type { Git } from "./git.ts";

export interface Remote {
  readonly name: string;
  /** With `url.*.insteadOf` applied. May hold a password: never to be shown as it is. */
  readonly url: string;
  readonly pushUrl: string;
}

/** The remotes of the repository that `cwd` lies in, in git's order. */
export async function listRemotes(git: Git, cwd: string): Promise<Remote[]> {
  const remotes = new Map<string, Remote>();
  for (const line of (await git.ok(["remote", "--verbose"], { cwd })).toString("utf8").split("\n")) {
    const [, name, url, use] = verboseLine.exec(line) ?? [];
    if (name === undefined || url === undefined) continue;
    const known = remotes.get(name);
    if (use === "fetch") remotes.set(name, { name, url: known?.url ?? url, pushUrl: known?.pushUrl ?? url });
    else remotes.set(name, { name, url: known?.url ?? url, pushUrl: url });
  }
  return [...remotes.values()];
}

/** git-remote(1): name, tab, URL, then which use; a partial clone's filter follows in brackets since 2.40. */
const verboseLine = /^([^\t]+)\t(.*) \((fetch|push)\)(?: \[[^\]]*\])?$/u;
