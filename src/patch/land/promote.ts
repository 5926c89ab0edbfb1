import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Repository } from "../../git/discover.ts";
import type { Git, GitOptions } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { type Origin, storePack } from "../engine/pack.ts";
import { bigFile, type Quarantine } from "../quarantine.ts";
import { isPartial } from "../sources/promised.ts";
import { makeObjectFolder } from "./object-folder.ts";

/** Below this many objects they are stored one by one, as git's own fetch does, so that small pulls don't pile up packs. */
const unpackLimit = 100;

/** All that the tips reach, without what the known commits do: those are there. */
export interface Wanted {
  readonly tips: readonly string[];
  readonly known: readonly (string | undefined)[];
}

interface Places {
  readonly git: Git;
  readonly quarantine: Quarantine;
  readonly repository: Repository;
}

const indexPack = ["index-pack", "--stdin", "--strict", "--fix-thin"];

/**
 * Copies objects from the quarantine into the user's repository, each checked by git's own rules and with all
 * that it points to (`--strict`), all or none. No ref points at them yet.
 * @throws FerryError failure with what git found wrong
 */
export async function promote(objects: Wanted, places: Places): Promise<void> {
  const { git, quarantine, repository } = places;
  // Of a partial clone much that is pointed to may be on a remote.
  const partial = await isPartial(places);
  const pack = join(quarantine.folder, "series.pack");
  await writePack(pack, objects, { git, quarantine, isThin: !partial });
  const config = { "core.fsync": "committed,loose-object", "core.fsyncMethod": "batch", "core.bigFileThreshold": bigFile };
  const options = { cwd: repository.gitDir, gitDir: repository.gitDir, config };
  const origin = (object: string) => bringerOf(object, objects, places);
  const incoming = await makeObjectFolder(quarantine, repository);
  const into = { ...options, env: incoming.env, origin };
  if (partial) await storePartial(objects, pack, { git, options: into });
  else {
    const args = (await countObjects(pack)) >= unpackLimit ? indexPack : ["unpack-objects", "-q", "--strict"];
    await storePack(git, args, { ...into, input: createReadStream(pack) });
  }
  await incoming.adopt();
}

/**
 * `--strict` would fetch all that the new folders point to, one by one. So objects are checked by themselves, and then that
 * nothing is missing but what a remote has promised.
 */
async function storePartial(
  { tips, known }: Wanted,
  pack: string,
  { git, options: { origin, ...options } }: { git: Git; options: GitOptions & { origin: Origin } },
): Promise<void> {
  await storePack(git, ["index-pack", "--stdin", "--fsck-objects"], { ...options, origin, input: createReadStream(pack) });
  const without = known.filter((commit) => commit !== undefined).map((commit) => `^${commit}`);
  const wanted = new Set(tips);
  const args = ["rev-list", "--objects", "--quiet", "--missing=allow-promisor", ...wanted, ...without, "--"];
  const result = await git.run(args, options);
  if (result.code !== 0) throw systemTrouble(args, result) ?? gitError(args, result);
}

/** The first commit of the series that an object is new in. */
async function bringerOf(object: string, { tips, known }: Wanted, { git, quarantine }: Places): Promise<string | undefined> {
  const type = await git.run(["cat-file", "-t", object], quarantine.options);
  if (type.stdout.toString("latin1").trim() === "commit") return object;
  const without = known.filter((commit) => commit !== undefined).map((commit) => `^${commit}`);
  const args = ["log", "--reverse", "--format=%H", "-m", "-t", `--find-object=${object}`, tips[0] ?? "HEAD", ...without, "--"];
  const found = await git.run(args, quarantine.options);
  return /^[0-9a-f]+$/mu.exec(found.stdout.toString("latin1"))?.[0];
}

async function writePack(
  path: string,
  { tips, known }: Wanted,
  { git, quarantine, isThin }: { git: Git; quarantine: Quarantine; isThin: boolean },
): Promise<void> {
  const args = ["pack-objects", "--quiet", "--revs", ...(isThin ? ["--thin"] : []), "--stdout", "--delta-base-offset"];
  const packer = await git.stream(args, quarantine.options);
  const without = known.filter((commit) => commit !== undefined).map((commit) => `^${commit}`);
  packer.stdin.end([...new Set([...tips, ...without]), ""].join("\n"));
  await pipeline(packer.stdout, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  const { code, stderr } = await packer.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
}

/** The pack's header: `PACK`, version, number of objects (gitformat-pack). */
async function countObjects(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.readUInt32BE(8);
  } finally {
    await file.close();
  }
}
