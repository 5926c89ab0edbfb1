import type { Environment } from "../host/host.ts";
import type { Git, GitStreamOptions } from "./git.ts";
import { reachError, reachOptions } from "./reach.ts";

/** The user's repository, whose remotes are talked to. */
export interface Reaching {
  readonly git: Git;
  readonly gitDir: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** How long a remote may take to list its refs, in ms. */
const patience = 30_000;

/**
 * The refs of a remote with exactly these names (`HEAD` or full), each with its commit; those that aren't there are left out. One
 * question, no object.
 * @throws FerryError auth, unavailable, not_found, as reachError tells
 */
export async function listRefs(
  reaching: Reaching,
  remote: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { git, signal } = reaching;
  const options = await reachOptions(git, reaching);
  const args = ["ls-remote", "--quiet", "--", remote, ...names];
  const late = AbortSignal.timeout(patience);
  const result = await git.run(args, { ...options, signal: AbortSignal.any([signal, late]) }).catch((error: unknown) => {
    if (!late.aborted || signal.aborted) throw error;
    return { code: 128, stdout: Buffer.alloc(0), stderr: Buffer.from(`no answer within ${patience / 1000} seconds: timed out`) };
  });
  if (result.code !== 0) throw reachError(remote, args, result);
  const refs = new Map<string, string>();
  for (const line of result.stdout.toString("utf8").split("\n")) {
    const [id = "", name = ""] = line.split("\t");
    // git-ls-remote(1): a pattern also matches what ends with it.
    if (names.includes(name) && /^([0-9a-f]{40}|[0-9a-f]{64})$/u.test(id)) refs.set(name, id);
  }
  return refs;
}

/** Where fetched objects go: not into the user's repository, whose objects that place sees as its alternates. */
export interface Store {
  /** Its `objects` folder. */
  readonly objects: string;
}

interface Wanted {
  readonly remote: string;
  readonly wants: readonly string[];
  /** git-rev-list(1), --filter. */
  readonly filter?: string | undefined;
  /** Doesn't tell what is here: for folders and contents alone, which would not be sent to who has a commit with them. */
  readonly isBlunt?: boolean;
}

/** No tag, ref, FETCH_HEAD, submodule or shallow file of the user's is written; git-fetch(1). */
const flags = [
  "--quiet",
  "--no-tags",
  "--no-write-fetch-head",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
  "--no-prune",
  "--refmap=",
];

/**
 * Fetches objects with all that they reach into another store. `wants` are ids, or full names of refs.
 * @throws FerryError failure where one breaks git's rules, and as reachError tells
 */
export async function fetchInto(
  store: Store,
  reaching: Reaching,
  { remote, wants, filter, isBlunt = false }: Wanted,
): Promise<void> {
  const { git, signal } = reaching;
  const options: GitStreamOptions = await reachOptions(git, reaching);
  const args = ["fetch", ...flags, filter === undefined ? "--no-filter" : `--filter=${filter}`, "--stdin", "--", remote];
  const env = { ...options.env, GIT_OBJECT_DIRECTORY: store.objects };
  const config = { ...options.config, ...(isBlunt ? { "fetch.negotiationAlgorithm": "noop" } : {}) };
  const result = await git.run(args, { ...options, config, env, signal, input: wants.map((want) => `${want}\n`).join("") });
  if (result.code !== 0) throw reachError(remote, args, result);
}
