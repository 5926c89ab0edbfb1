import { appendFile, copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../git/discover.ts";
import type { Git, GitStreamOptions } from "../git/git.ts";
import type { PatchHost } from "./request.ts";

/**
 * A private repository that sees the user's objects and in which nothing of the user's or the series' configuration can act: no
 * filter, EOL conversion, hook, merge driver or signing. What is built here touches nothing of the user's until it is promoted.
 */
export interface Quarantine {
  /** The folder of it all; other files of this pull lie here too. */
  readonly folder: string;
  readonly tree: string;
  readonly gitDir: string;
  /** Beside the user's objects, for those that are about to join them (land/object-folder.ts). */
  readonly incoming: string;
  /** How git is run in it. */
  readonly options: Pick<GitStreamOptions, "cwd" | "gitDir" | "workTree" | "isolated" | "env">;
  /** Takes all but the folder itself away, once nothing of it is needed: a disk that is full has room again to take things back. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const prefix = "quarantine-";

/** From this size on git handles a file's content without holding all of it. */
export const bigFile = String(32 * 1024 * 1024);

/** Makes one below the ferry folder of a repository. The caller holds the repository's lock. */
export async function makeQuarantine(git: Git, host: PatchHost, repository: Repository): Promise<Quarantine> {
  const name = prefix + Buffer.from(host.random(8)).toString("hex");
  const folder = join(ferryFolder(repository), name);
  const tree = join(folder, "tree");
  const gitDir = join(tree, ".git");
  await mkdir(tree, { recursive: true, mode: 0o700 });
  const init = ["init", "--quiet", "--template=", `--object-format=${repository.objectFormat}`, "--initial-branch=ferry"];
  await git.ok([...init, tree], { cwd: folder, isolated: true });
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info", "attributes"), "* -text -eol -filter -ident -working-tree-encoding\n");
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${join(repository.commonDir, "objects")}\n`);
  // Larger ones are streamed, and never held whole in the search for deltas (git-config(1)).
  await appendFile(join(gitDir, "config"), `[core]\n\tbigFileThreshold = ${bigFile}\n`);
  await copyFile(join(repository.commonDir, "shallow"), join(gitDir, "shallow")).catch(unlessMissing);
  return {
    folder,
    tree,
    gitDir,
    incoming: incomingOf(repository, name),
    options: { cwd: tree, gitDir, workTree: tree, isolated: true, env: nobody },
    empty: async () => {
      for (const name of await readdir(folder)) await removeTree(join(folder, name));
    },
    remove: async () => {
      await removeTree(incomingOf(repository, name));
      await removeTree(folder);
    },
  };
}

/** Works with one that is made when it is asked for the first time, since a pull that finds nothing new needs none, and taken away at the end. */
export async function withQuarantine<T>(
  make: () => Promise<Quarantine>,
  work: (quarantine: () => Promise<Quarantine>) => Promise<T>,
): Promise<T> {
  let made: Promise<Quarantine> | undefined;
  try {
    return await work(() => (made ??= make()));
  } finally {
    await (await made?.catch(() => undefined))?.remove();
  }
}

/** What pulls that were killed left behind. The caller holds the repository's lock, so none of them is in use. */
export async function sweepQuarantines(repository: Repository): Promise<void> {
  const folder = ferryFolder(repository);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    await removeTree(incomingOf(repository, name));
    await removeTree(join(folder, name));
  }
}

/** git-gc(1) takes such folders away, too, once they are old. */
function incomingOf({ commonDir }: Repository, name: string): string {
  return join(commonDir, "objects", `tmp_objdir-ferry-${name}`);
}

/** Where ferry keeps what belongs to a repository: its lock, journal, quarantines and rescued files. */
export function ferryFolder(repository: Repository): string {
  return join(repository.commonDir, "ferry");
}

/** The name on commits that never leave a quarantine; without one git would look for the user's. */
const nobody = {
  GIT_AUTHOR_NAME: "ferry",
  GIT_AUTHOR_EMAIL: "ferry@localhost",
  GIT_AUTHOR_DATE: "1767225600 +0000",
  GIT_COMMITTER_NAME: "ferry",
  GIT_COMMITTER_EMAIL: "ferry@localhost",
  GIT_COMMITTER_DATE: "1767225600 +0000",
};

function removeTree(folder: string): Promise<void> {
  // A git whose parent was killed may still be writing here for a moment.
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
