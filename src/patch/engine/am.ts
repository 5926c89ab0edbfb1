import { join } from "node:path";
import type { GitResult } from "../../git/git.ts";
import { systemTrouble } from "../../git/trouble.ts";
import { lie, type SeriesItem } from "../series/series.ts";
import { readMails, spoolMails } from "../series/mails.ts";
import { bounded, mailLimits } from "./bounds.ts";
import type { Engine, Workshop } from "./engine.ts";
import { graft } from "./graft.ts";
import { makeMiniBase } from "./mini.ts";
import { writeCommits } from "./commits.ts";

/**
 * `git am` of mails of our own, on a tree of only the touched paths, so that its cost (am writes the whole index for each patch)
 * doesn't grow with the repository; its diffs are then grafted onto the real base, and checked tree by tree.
 */
export const am: Engine = {
  name: "am",
  form: "mbox",
  suits: ({ unmailable, items }) => unmailable === undefined && items.every(({ bytes }) => bytes <= mailLimits.mail),
  async build(series, workshop) {
    const { quarantine, checkpoint, progress } = workshop;
    const mails = join(quarantine.folder, "mails");
    await spoolMails(bounded(readMails(workshop.bytes(), series.items)), mails, (done) => progress("fetch", done));
    await checkpoint("spooled");
    const mini = await makeMiniBase(series, workshop);
    await applyMails(mails, series.items, workshop);
    progress("apply", series.items.length);
    await checkpoint("applied");
    await graft(series, mini, workshop);
    await checkpoint("grafted");
    await writeCommits(series.items, workshop);
  },
};

/** git-am(1): -k keeps the Subject as it is, --keep-cr the CR of CRLF files, --empty=keep a commit without a diff. */
const flags = ["--quiet", "-k", "--keep-cr", "--no-scissors", "--whitespace=nowarn", "--empty=keep", "--patch-format=mboxrd"];

/** Runs `git am` of a file of mails in the quarantine, whose HEAD and index are what they are put on. Gives its result, whatever that is. */
export function amMails(
  mails: string,
  how: "--3way" | "--no-3way",
  { git, quarantine, signal }: Pick<Workshop, "git" | "quarantine" | "signal">,
): Promise<GitResult> {
  // Loose objects of a repository that is thrown away needn't be small.
  const config = {
    "core.looseCompression": "0",
    "core.fsync": "none",
    "core.createObject": "rename",
    "apply.ignoreWhitespace": "no",
    // What merges must not be the user's to set.
    "merge.directoryRenames": "conflict",
  };
  return git.run(["am", ...flags, how, mails], { ...quarantine.options, config, signal });
}

async function applyMails(mails: string, items: readonly SeriesItem[], workshop: Workshop): Promise<void> {
  const result = await amMails(mails, "--no-3way", workshop);
  if (result.code !== 0)
    throw systemTrouble(["am"], result) ?? lie("its patch doesn't apply to the commit before it", failedItem(result, items));
}

/** `Patch failed at 0003 3` names the patch's place. */
export function failedItem(result: GitResult, items: readonly SeriesItem[]): SeriesItem | undefined {
  const place = /Patch failed at (\d+)/u.exec(result.stdout.toString("latin1") + result.stderr.toString("latin1"))?.[1];
  return place === undefined ? undefined : items[Number(place) - 1];
}
