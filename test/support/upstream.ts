import type { Offers } from "../../src/patch/source.ts";
import { commitFiles, gitBytes, gitIn, makeFolder, makeRepository, type TestGit } from "./git.ts";
import { type PullInto, pullInto } from "./pulling.ts";

/** A user's clone and a sandbox's of the same repository on a server. */
export interface Upstream {
  readonly up: TestGit;
  /** Its `origin` is `up`. */
  readonly local: TestGit;
  /** On its branch `work`, which it pushes. */
  readonly sandbox: TestGit;
  readonly base: string;
}

export interface UpstreamOptions {
  readonly init?: readonly string[];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Further arguments of the user's `git clone`. */
  readonly clone?: readonly string[];
  /** Commits before the base. */
  readonly history?: number;
}

const folder = makeFolder();
let places = 0;

export function removeUpstreams(): void {
  folder.remove();
}

export function makeUpstream({ init = [], files, clone = [], history = 0 }: UpstreamOptions = {}): Upstream {
  const place = `${folder.path}/${++places}`;
  const first = makeRepository(`${place}/first`, init);
  for (let at = 0; at < history; at++) commitFiles(first, { history: `${at}\n` }, `history ${at}`);
  const base = commitFiles(first, files ?? { a: "1\n2\n3\n", b: "b\n", "dir/c": "c\n" }, "base");
  gitBytes(place, ["clone", "--quiet", "--bare", "first", "up.git"]);
  const up = gitIn(`${place}/up.git`);
  for (const name of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"]) up("config", name, "true");
  gitBytes(place, ["clone", "--quiet", ...clone, `file://${up.folder}`, "local"]);
  gitBytes(place, ["clone", "--quiet", "up.git", "sandbox"]);
  const sandbox = gitIn(`${place}/sandbox`);
  sandbox("switch", "--quiet", "--create", "work");
  return { up, local: gitIn(`${place}/local`), sandbox, base };
}

/** Commits in the sandbox and pushes; gives the commit. */
export function push(
  { sandbox }: Upstream,
  files: Readonly<Record<string, string | Uint8Array | null>>,
  message?: string,
): string {
  const commit = commitFiles(sandbox, files, message);
  sandbox("push", "--quiet", "--force", "origin", "work");
  return commit;
}

/** What the cli offers for such a session. */
export function branchOffers(base: string | undefined, more: Partial<Offers> = {}): Partial<Offers> {
  return { branch: { name: "work", base: { commit: base } }, remotes: async () => ["origin"], ...more };
}

/** Pulls from the branch alone. */
export function pullBranch({ local, base }: Upstream, { offers, ...options }: PullInto = {}) {
  return pullInto(local.folder, undefined, { offers: branchOffers(base, offers), ...options });
}
