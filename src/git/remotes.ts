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

/** The addresses as the configuration has them, before any `insteadOf`: by the remote's name, in git's order. */
export async function configuredUrls(git: Git, cwd: string): Promise<Map<string, string>> {
  const { code, stdout } = await git.run(["config", "--null", "--get-regexp", "^remote\\..*\\.url$"], { cwd });
  if (code !== 0) return new Map();
  const entries = stdout.toString("utf8").split("\0").filter(Boolean);
  return new Map(
    entries.map((entry): [string, string] => {
      const [key = "", ...value] = entry.split("\n");
      return [key.slice("remote.".length, -".url".length), value.join("\n")];
    }),
  );
}

/** git-remote(1): name, tab, URL, then which use; a partial clone's filter follows in brackets since 2.40. */
const verboseLine = /^([^\t]+)\t(.*) \((fetch|push)\)(?: \[[^\]]*\])?$/u;
