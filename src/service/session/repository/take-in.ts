import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import type { Git } from "../../../git/git.ts";
import type { SessionsDeps } from "../deps.ts";
import { type BundleHeader, readBundle, type Ref } from "./bundle.ts";
import { own } from "./layout.ts";

export interface TakeIn {
  /** The session's repository. */
  readonly gitDir: string;
  /** A folder of this call's own, for what isn't checked yet. */
  readonly quarantine: string;
  /** What the bundle must bring, and nothing else. */
  readonly ref: Ref;
}

/**
 * Takes a bundle that a sandbox made into the session's repository: its header read by ourselves, its pack indexed with git's
 * strict checks beside the repository, and only a connected series moved into it. Moves no ref.
 * @throws FerryError failure where it isn't what it should be; nothing is left of it then
 */
export async function takeIn(deps: Pick<SessionsDeps, "git" | "host">, bundle: Buffer, what: TakeIn): Promise<void> {
  const { git, host } = deps;
  const { gitDir, quarantine } = what;
  const { header, pack } = readBundle(bundle);
  await checkHeader(git, header, what);
  await host.files.write(join(quarantine, "info", "alternates"), `${join(gitDir, "objects")}\n`);
  try {
    const options = { ...own(gitDir), env: { GIT_OBJECT_DIRECTORY: quarantine } };
    // Large blobs are streamed and not held: a small pack may hold a very large one.
    const config = { "core.bigFileThreshold": "16m" };
    await git.ok(["index-pack", "--stdin", "--strict", "--fix-thin", `--max-input-size=${pack.length}`], {
      ...options,
      config,
      input: pack,
    });
    await git.ok(["rev-list", "--quiet", "--objects", what.ref.commit, "--not", "--all"], options);
    await release(deps, quarantine, join(gitDir, "objects", "pack"));
  } finally {
    await host.files.remove(quarantine);
  }
}

async function checkHeader(git: Git, header: BundleHeader, { gitDir, ref }: TakeIn): Promise<void> {
  const [brought, ...more] = header.refs;
  if (brought?.name !== ref.name || brought.commit !== ref.commit || more.length > 0)
    throw new FerryError("failure", "the sandbox gave a bundle of something else than the session's branch");
  const input = header.prerequisites.map((id) => `${id}\n`).join("");
  const known = await git.ok(["cat-file", "--batch-check"], { ...own(gitDir), input });
  if (/ missing$/mu.test(known.toString("utf8")))
    throw new FerryError("failure", "the sandbox gave a bundle on top of a commit that the session doesn't have");
}

/** The index last: a pack without one is not seen. */
async function release({ host }: Pick<SessionsDeps, "host">, quarantine: string, packs: string): Promise<void> {
  await host.files.makeFolder(packs);
  const names = await host.files.list(join(quarantine, "pack"));
  const rank = (name: string) => (name.endsWith(".idx") ? 1 : 0);
  for (const name of names.toSorted((a, b) => rank(a) - rank(b)))
    await host.files.rename(join(quarantine, "pack", name), join(packs, name));
}
