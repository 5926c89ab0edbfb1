import { join } from "node:path";
import { FerryError } from "../../base/errors.ts";
import { type GitPath, pathBytes } from "../../git/path.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { amMails, failedItem } from "../engine/am.ts";
import { bounded } from "../engine/bounds.ts";
import { Unsuited, type Workshop } from "../engine/engine.ts";
import { readMails, spoolMails } from "../series/mails.ts";
import { lie, type Series, type SeriesItem } from "../series/series.ts";

/** What a commit of the sandbox's became: `tree` is the one that it leaves. */
export interface Step {
  readonly item: SeriesItem;
  readonly tree: string;
}

/** The first commit that doesn't fit. */
export interface Misfit {
  readonly item: SeriesItem;
  readonly paths: readonly GitPath[];
}

/**
 * Applies a series to another commit than the one that it was made on, by `git am --3way` in the quarantine: each patch as it is
 * where that fits, else merged by the blobs that its index lines name, where those are here. A patch whose change is there already
 * gives no step. Only the touched files are written out, since git-am(1) takes others for unchanged where they are missing.
 * @throws FerryError failure where what came isn't what its manifest says
 */
export async function applyOnto(onto: string, series: Series, workshop: Workshop): Promise<readonly Step[] | Misfit> {
  const { git, quarantine, checkpoint, progress } = workshop;
  const { options } = quarantine;
  const { items } = series;
  const mails = join(quarantine.folder, "mails");
  try {
    await spoolMails(bounded(readMails(workshop.bytes(), items)), mails, (done) => progress("fetch", done));
  } catch (error) {
    if (!(error instanceof Unsuited)) throw error;
    throw new FerryError("failure", `the series can't be put on another commit: ${error.message}`, { cause: error });
  }
  await checkpoint("spooled");
  await git.ok(["update-ref", "HEAD", onto], options);
  await git.ok(["read-tree", onto], options);
  const touched = [...new Set(items.flatMap(({ paths }) => paths))].map((path) => `${path}\0`).join("");
  // A merge takes a file whose times the index doesn't know for one with local changes. Those that aren't in it are no matter.
  await git.run(["checkout-index", "--quiet", "--index", "--force", "-z", "--stdin"], { ...options, input: pathBytes(touched) });
  const result = await amMails(mails, "--3way", workshop);
  if (result.code !== 0) {
    const item = failedItem(result, items);
    const trouble = systemTrouble(["am"], result);
    if (trouble !== undefined || item === undefined) throw trouble ?? lie("git am makes nothing of it");
    return { item, paths: await unmerged(workshop, item) };
  }
  progress("apply", items.length);
  await checkpoint("applied");
  return readSteps(onto, items, workshop);
}

/** Where both sides changed the same; all that the commit touches where git didn't come so far as to merge. */
async function unmerged({ git, quarantine }: Workshop, { paths }: SeriesItem): Promise<readonly GitPath[]> {
  const listing = await git.ok(["ls-files", "--unmerged", "-z"], quarantine.options);
  const entries = listing.toString("latin1").split("\0").filter(Boolean);
  const found = new Set(entries.map((entry) => entry.slice(entry.indexOf("\t") + 1)));
  return found.size === 0 ? paths : [...found];
}

/** By the subject, which is the mail's place in the series: an order that isn't ours is of mails that aren't, either. */
async function readSteps(onto: string, items: readonly SeriesItem[], { git, quarantine }: Workshop): Promise<Step[]> {
  const args = ["rev-list", "--reverse", "--no-commit-header", "--format=%T %s", `${onto}..HEAD`, "--"];
  const lines = (await git.ok(args, quarantine.options)).toString("latin1").split("\n").filter(Boolean);
  const steps: Step[] = [];
  let at = 0;
  for (const line of lines) {
    const [tree = "", sequence] = line.split(" ");
    while (at < items.length && String(items[at]?.sequence) !== sequence) at += 1;
    const item = items[at];
    if (item === undefined) throw lie("a patch holds more than one mail");
    steps.push({ item, tree });
    at += 1;
  }
  return steps;
}
