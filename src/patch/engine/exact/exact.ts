import { FerryError } from "../../../base/errors.ts";
import { pathBytes } from "../../../git/path.ts";
import { type Change, modes } from "../../../git/records.ts";
import { type Mail, readMails } from "../../series/mails.ts";
import type { Series, SeriesItem } from "../../series/series.ts";
import { writeCommits } from "../commits.ts";
import { type Engine, Unsuited, type Workshop } from "../engine.ts";
import { commitLines, importTrees } from "../import.ts";
import { Contents } from "./contents.ts";
import { readMail } from "./read-mail.ts";

/** Larger mails and files are left to git, which needn't hold several of them at once. */
const limits = { mail: 16 * 1024 * 1024, file: 32 * 1024 * 1024 };
/** How much is read ahead, so that git is asked for many contents at once. */
const ahead = { mails: 64, bytes: 4 * 1024 * 1024 };

/**
 * The patches applied by ferry itself, without fuzz and without offset, from the content that they name to the content that they
 * name: each id is checked, then each tree. Git only stores what was made. What isn't plain is left to `git am`.
 */
export const exact: Engine = {
  name: "exact",
  form: "mbox",
  suits: ({ unmailable, items }) => unmailable === undefined && items.every(({ bytes }) => bytes <= limits.mail),
  async build(series, workshop) {
    await workshop.checkpoint("spooled");
    const contents = await Contents.open(workshop, { uses: usesOf(series.items), limit: limits.file });
    try {
      await importTrees(importStream(series, contents, workshop), series, workshop);
    } catch (error) {
      // What git refuses to store, am may refuse with better words, or not.
      if (error instanceof FerryError && error.code === "git") throw new Unsuited(error.message, { cause: error });
      throw error;
    } finally {
      await contents.close();
    }
    await workshop.checkpoint("applied");
    await workshop.checkpoint("grafted");
    await writeCommits(series.items, workshop);
  },
};

function usesOf(items: readonly SeriesItem[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { changes } of items)
    for (const change of changes) if (needsContent(change)) uses.set(change.oldId, (uses.get(change.oldId) ?? 0) + 1);
  return uses;
}

function needsContent({ oldMode, oldId, newId }: Change): boolean {
  return oldMode !== modes.absent && oldMode !== modes.gitlink && oldId !== newId;
}

async function* importStream(series: Series, contents: Contents, workshop: Workshop): AsyncGenerator<Uint8Array> {
  const stored = new Set<string>();
  let done = 0;
  for await (const mails of batches(readMails(workshop.bytes(), series.items))) {
    workshop.progress("fetch", done + mails.length);
    contents.prepare(neededFrom(mails, stored));
    for (const mail of mails) {
      yield* importMail(mail, { from: done === 0 ? series.base : undefined, contents, stored });
      workshop.progress("apply", (done += 1));
    }
  }
}

async function* batches(mails: AsyncIterable<Mail>): AsyncGenerator<Mail[]> {
  let batch: Mail[] = [];
  let bytes = 0;
  for await (const mail of mails) {
    batch.push(mail);
    bytes += mail.diff.length;
    if (batch.length < ahead.mails && bytes < ahead.bytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The base's contents that these will begin at: what one of them makes isn't git's to give. */
function neededFrom(mails: readonly Mail[], stored: ReadonlySet<string>): Set<string> {
  const made = new Set<string>();
  const needed = new Set<string>();
  for (const { item } of mails)
    for (const change of item.changes) {
      if (needsContent(change) && !stored.has(change.oldId) && !made.has(change.oldId)) needed.add(change.oldId);
      made.add(change.newId);
    }
  return needed;
}

interface Import {
  readonly from: string | undefined;
  readonly contents: Contents;
  /** What git was given already. */
  readonly stored: Set<string>;
}

/** What fast-import reads for one commit: the contents that it makes, then what it does to paths. */
async function* importMail(mail: Mail, { from, contents, stored }: Import): AsyncGenerator<Uint8Array> {
  for await (const { id, content } of readMail(mail, { contents, limit: limits.file })) {
    if (stored.has(id)) continue;
    stored.add(id);
    await contents.keep(id, content);
    yield Buffer.concat([Buffer.from(`blob\ndata ${content.length}\n`), content, Buffer.from("\n")]);
  }
  yield pathBytes(commitLines(from, mail.item.changes));
}
