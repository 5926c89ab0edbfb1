import { readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../git/discover.ts";

/** git follows no more symbolic refs than these. */
const depth = 5;

/**
 * The lock files that git takes to move these refs: one for each, and for all that a symbolic one leads through to its branch
 * (gitrepository-layout(5)); and where one is taken away that was packed, those of the packed ones (refs/packed-backend.c: the new
 * file, too, is made only where none is). Where refs aren't files there are none.
 */
export async function refLocks(
  refs: readonly string[],
  { gitDir, commonDir }: Pick<Repository, "gitDir" | "commonDir">,
): Promise<string[]> {
  const fileOf = (ref: string) => join(ref === "HEAD" ? gitDir : commonDir, ref);
  const all = new Set(["lock", "new"].map((kind) => join(commonDir, `packed-refs.${kind}`)));
  for (const start of refs) {
    let ref: string | undefined = start;
    for (let at = 0; ref !== undefined && at <= depth; at++) {
      all.add(`${fileOf(ref)}.lock`);
      ref = await targetOf(fileOf(ref));
    }
  }
  return [...all];
}

/** Undefined for a ref that is none, or holds a commit. It may be a link (core.preferSymlinkRefs in git-config(1)). */
async function targetOf(file: string): Promise<string | undefined> {
  const link = await readlink(file).catch(() => undefined);
  if (link !== undefined) return link.startsWith("refs/") ? link : undefined;
  const text = await readFile(file, "utf8").catch(() => "");
  return /^ref: *(refs\/\S+)/u.exec(text)?.[1];
}
