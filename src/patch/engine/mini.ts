import { pathBytes } from "../../git/path.ts";
import { fields } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import type { Series } from "../series/series.ts";
import type { Workshop } from "./engine.ts";

/**
 * Makes the quarantine's first commit: of the series' base only the paths that the series touches, in index and working tree.
 * Gives its id.
 */
export async function makeMiniBase(series: Series, { git, quarantine }: Workshop): Promise<string> {
  const { options } = quarantine;
  if (series.base !== undefined) {
    const entries = await touchedEntries(series.base, new Set(series.items.flatMap((item) => item.paths)), { git, quarantine });
    await git.ok(["update-index", "-z", "--index-info"], { ...options, input: entries });
    await git.ok(["checkout-index", "--all", "--force", "--index"], options);
  }
  const tree = (await git.ok(["write-tree"], options)).toString("latin1").trim();
  const commit = (await git.ok(["commit-tree", "-m", "base", tree], options)).toString("latin1").trim();
  await git.ok(["update-ref", "HEAD", commit], options);
  return commit;
}

/** The lines of `ls-tree -z` for those paths, as `update-index -z --index-info` takes them. */
async function touchedEntries(
  base: string,
  touched: ReadonlySet<string>,
  { git, quarantine }: Pick<Workshop, "git" | "quarantine">,
) {
  const args = ["ls-tree", "-r", "-z", "--full-tree", base];
  const listing = await git.stream(args, quarantine.options);
  listing.stdin.end();
  const entries: string[] = [];
  for await (const batch of fields(listing.stdout))
    for (const entry of batch) if (touched.has(entry.slice(entry.indexOf("\t") + 1))) entries.push(entry);
  const { code, stderr } = await listing.exit;
  if (code !== 0) throw gitError(args, { code, stderr });
  return pathBytes(entries.map((entry) => `${entry}\0`).join(""));
}
