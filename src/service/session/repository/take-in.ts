import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import type { Git, GitOptions, GitResult } from "../../../git/git.ts";
import { gitError } from "../../../git/runner.ts";
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

/** Bytes of memory that git may use on what isn't checked yet: a pack of a few MB may hold an object of any size. */
const memory = 2 * 1024 ** 3;
/** Bytes of a commit, a tag or a tree: a message of a few thousand pages, a folder of 400 000 files. */
const largest = 16 * 1024 ** 2;

const config = {
  // Large blobs are streamed and not held.
  "core.bigFileThreshold": "16m",
  // What is mapped of the packs that the pack builds on counts as memory, too.
  "core.packedGitWindowSize": "32m",
  "core.packedGitLimit": "512m",
};

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
    const options = { ...own(gitDir), env: { GIT_OBJECT_DIRECTORY: quarantine }, config, memory };
    const index = ["index-pack", "--stdin", "--strict", "--fix-thin", "--threads=2", `--max-input-size=${pack.length}`];
    const indexed = await git.run(index, { ...options, input: pack });
    if (indexed.code !== 0) throw indexError(index, indexed, what.ref);
    await refuseLarge(deps, quarantine, options);
    await git.ok(["rev-list", "--quiet", "--objects", what.ref.commit, "--not", "--all"], options);
    await release(deps, quarantine, join(gitDir, "objects", "pack"));
  } finally {
    await host.files.remove(quarantine);
  }
}

function indexError(args: readonly string[], result: Pick<GitResult, "code" | "stderr">, { commit }: Ref): FerryError {
  const error = gitError(args, result);
  if (!/out of memory/iu.test(error.message)) return error;
  const bound = `${memory / 1024 ** 2} MB of memory`;
  return new FerryError(
    "failure",
    `what ${commit} brings holds something that git needs more than ${bound} for: ${error.message}`,
  );
}

/**
 * Git holds commits, tags and trees whole each time that it reads them, whoever asks for the series.
 * @throws FerryError failure that names the first one that is too large
 */
async function refuseLarge({ git, host }: Pick<SessionsDeps, "git" | "host">, quarantine: string, options: GitOptions) {
  const packs = (await host.files.list(join(quarantine, "pack"))).filter((name) => name.endsWith(".pack"));
  for (const name of packs) {
    const path = join(quarantine, "pack", name.replace(/pack$/u, "idx"));
    const index = await git.ok(["show-index"], { ...options, input: await host.files.read(path) });
    const ids = index.toString("latin1").replace(/^\d+ ([0-9a-f]+).*$/gmu, "$1");
    const check = ["cat-file", "--buffer", "--batch-check=%(objecttype) %(objectsize) %(objectname)"];
    const objects = (await git.ok(check, { ...options, input: ids })).toString("latin1").split("\n");
    for (const [type = "", size, id] of objects.map((line) => line.split(" ")))
      if (type !== "" && type !== "blob" && Number(size) > largest)
        throw new FerryError(
          "failure",
          `the ${type} ${id} has ${size} bytes, and ${largest} are the most that is taken from a sandbox`,
        );
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
