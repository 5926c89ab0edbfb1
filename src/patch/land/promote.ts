import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FerryError } from "../../base/errors.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git, GitProcess } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Series } from "../series/series.ts";

/** Below this many objects they are stored one by one, as git's own fetch does, so that small pulls don't pile up packs. */
const unpackLimit = 100;

/**
 * Copies the objects of the series from the quarantine into the user's repository, each checked by git's own rules and with all
 * that it points to (`--strict`). No ref points at them yet.
 * @throws FerryError failure with what git found wrong
 */
export async function promote(series: Series, places: { git: Git; quarantine: Quarantine; repository: Repository }): Promise<void> {
  const { git, quarantine, repository } = places;
  const packer = await git.stream(["pack-objects", "--quiet", "--revs", "--thin", "--stdout", "--delta-base-offset"], quarantine.options);
  packer.stdin.end(`${series.tip}\n${series.base === undefined ? "" : `^${series.base}\n`}`);
  const head = await readHead(packer.stdout);
  const objects = head.length < 12 ? 0 : head.readUInt32BE(8);
  const args = objects < unpackLimit ? ["unpack-objects", "-q", "--strict"] : ["index-pack", "--stdin", "--strict", "--fix-thin"];
  const config = { "core.fsync": "committed,loose-object", "core.fsyncMethod": "batch" };
  const store = await git.stream(args, { cwd: repository.gitDir, gitDir: repository.gitDir, config });
  store.stdout.resume();
  store.stdin.write(head);
  await pipeline(packer.stdout, store.stdin).catch(() => undefined);
  await throwUnlessDone(packer, ["pack-objects"]);
  const { code, stderr } = await store.exit;
  if (code !== 0) throw refused(gitError(args, { code, stderr }));
}

/** The pack's header: `PACK`, version, number of objects (gitformat-pack). */
async function readHead(stream: Readable): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    head = Buffer.concat([head, chunk as Buffer]);
    if (head.length >= 12) break;
  }
  return head;
}

async function throwUnlessDone(git: GitProcess, args: readonly string[]): Promise<void> {
  const { code, stderr } = await git.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
}

function refused(error: FerryError): FerryError {
  return new FerryError("failure", `the series has an object that git refuses: ${error.message}`, { code: "policy", cause: error });
}
