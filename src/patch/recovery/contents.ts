import { createHash } from "node:crypto";
import { createReadStream, lstatSync } from "node:fs";
import type { ObjectFormat } from "../../git/discover.ts";
import { pathBytes } from "../../git/path.ts";
import { modes } from "../../git/records.ts";
import { refuseKilled } from "../../git/runner.ts";
import type { Entry } from "../land/compare.ts";
import type { WorkingCopy } from "../land/working-copy.ts";

type Place = Pick<WorkingCopy, "git" | "repository">;

/** The id that git gives a file's bytes as they are, unconverted (git-hash-object(1), --no-filters). */
export async function blobId(file: string | Buffer, format: ObjectFormat): Promise<string> {
  const hash = createHash(format).update(`blob ${lstatSync(file).size}\0`);
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Whether a file holds the entry's bytes, or those that git makes of them when it checks the entry out. */
export async function isCheckoutOf(place: Place, file: string | Buffer, entry: Entry): Promise<boolean> {
  if (entry.mode === modes.absent) return false;
  return (await blobId(file, place.repository.objectFormat)) === entry.id || (await heldOf(place, file, entry)) === "all";
}

/** A git that was killed while it wrote a file leaves the beginning of what it would have written, filters applied. */
export async function isBeginningOf(place: Place, file: string | Buffer, entry: Entry): Promise<boolean> {
  return entry.mode !== modes.absent && (await heldOf(place, file, entry)) !== "other";
}

/** How much a file holds of what git would check out. Where a filter fails, that can't be told. */
async function heldOf(
  { git, repository }: Place,
  file: string | Buffer,
  { path, id }: Entry,
): Promise<"all" | "beginning" | "other"> {
  const { workTree, gitDir } = repository;
  const { size } = lstatSync(file);
  const args = ["cat-file", "--filters", `--path=${pathBytes(path).toString("utf8")}`, id];
  const child = await git.stream(args, { cwd: workTree, gitDir, workTree });
  child.stdin.end();
  const [wanted, found] = [createHash("sha256"), createHash("sha256")];
  let length = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    wanted.update(chunk.subarray(0, Math.max(0, size - length)));
    length += chunk.length;
  }
  const exit = await child.exit;
  refuseKilled(args, exit);
  if (exit.code !== 0 || length < size) return "other";
  for await (const chunk of createReadStream(file)) found.update(chunk as Buffer);
  if (wanted.digest("hex") !== found.digest("hex")) return "other";
  return length === size ? "all" : "beginning";
}
