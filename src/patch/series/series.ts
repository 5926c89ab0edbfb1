import { createHash } from "node:crypto";
import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { ObjectFormat } from "../../git/discover.ts";
import { type GitPath, unquotePath } from "../../git/path.ts";
import type { Change } from "../../git/records.ts";
import type { Manifest, ManifestItem } from "../../wire/patches.ts";
import { subjectOf } from "./subject.ts";

/** A series as its manifest tells it, checked as far as that goes without the patches: each commit is what its id says. */
export interface Series {
  /** The commit that the first one follows; undefined for a root. */
  readonly base: string | undefined;
  readonly tip: string;
  readonly items: readonly SeriesItem[];
  /** Undefined where it can be mail, else why not. */
  readonly unmailable: string | undefined;
}

export interface SeriesItem {
  readonly sequence: number;
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** The commit object's content. */
  readonly raw: Buffer;
  /** One harmless line: the commit's own, whatever the manifest says. */
  readonly subject: string;
  readonly paths: readonly GitPath[];
  /** What it does to them, as the manifest says; nothing vouches for it but the tree. */
  readonly changes: readonly Change[];
  readonly bytes: number;
  readonly sha256: string;
  readonly diffOffset: number;
}

/** Beyond these a manifest isn't work but an attack. */
export const caps = {
  patches: 50_000,
  paths: 2_000_000,
  commitBytes: 1024 * 1024,
  /** Of all commit objects together, which are held while they are rebuilt. */
  commitsBytes: 256 * 1024 * 1024,
  mailBytes: 2 * 1024 ** 3,
  totalBytes: 8 * 1024 ** 3,
  /** Of a file in the tree, however it comes. */
  fileBytes: 512 * 1024 ** 2,
  /** Of the patch of what isn't committed, which is held whole. */
  uncommittedBytes: 64 * 1024 * 1024,
};

/**
 * Checks a manifest against itself: counts, order, and for each commit that its id is the hash of its content, and its tree and
 * parents are what that content says. With that, whoever has the right tree has the right commit.
 * @throws FerryError failure naming the commit that doesn't hold
 */
export function readSeries(manifest: Manifest, { objectFormat, start, repositoryId }: Expected): Series {
  if (repositoryId !== "" && manifest.repository_id !== "" && manifest.repository_id !== repositoryId)
    throw lie(`the session is of the repository ${oneLine(repositoryId)}, its commits of ${oneLine(manifest.repository_id)}`);
  if (manifest.object_format !== objectFormat)
    throw lie(`the session's objects are ${oneLine(manifest.object_format)}, this repository's ${objectFormat}`);
  if (start !== "" && !isId(start, objectFormat)) throw lie("it begins at what is no commit");
  if (manifest.items.length > caps.patches) throw lie(`a series of more than ${caps.patches} commits`);
  const items = manifest.items.map((item) => readItem(item, objectFormat));
  const paths = items.reduce((sum, item) => sum + item.paths.length, 0);
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  if (items.reduce((sum, { raw }) => sum + raw.length, 0) > caps.commitsBytes)
    throw lie(`commit objects of more than ${caps.commitsBytes} bytes`);
  if (paths > caps.paths) throw lie(`a series that changes paths more than ${caps.paths} times`);
  if (bytes > caps.totalBytes) throw lie(`a series of more than ${caps.totalBytes} bytes`);
  const tip = items.at(-1)?.commit ?? start;
  if (tip !== manifest.head_commit) throw lie(`the last commit isn't the head ${short(manifest.head_commit)}`);
  checkSequence(items);
  if (manifest.mailable) checkChain(items, start);
  return {
    base: start === "" ? undefined : start,
    tip,
    items,
    unmailable: manifest.mailable ? undefined : oneLine(manifest.reason) || "the series has merges",
  };
}

export interface Expected {
  readonly objectFormat: ObjectFormat;
  /** The commit that was asked to begin after; "" for a history of its own. */
  readonly start: string;
  /** The session's repository; "" where its service names none. */
  readonly repositoryId: string;
}

/** Each follows the one before, and only that. */
function checkChain(items: readonly SeriesItem[], start: string): void {
  for (const [at, item] of items.entries())
    if (item.parents.join(" ") !== (items[at - 1]?.commit ?? start)) throw lie("it doesn't follow the commit before", item);
}

function checkSequence(items: readonly SeriesItem[]): void {
  for (const [at, item] of items.entries())
    if (item.sequence !== (items[0]?.sequence ?? 0) + at) throw lie("a gap in the sequence", item);
}

/** The part of a series that a branch doesn't have, `here` being what it has of it and `head` its commit. */
export function withoutPresent(series: Series, here: ReadonlySet<string>, head: string): Series {
  const items = series.items.filter((item) => !here.has(item.commit));
  // A part of merged lines alone is no series, unless the branch stands on one of its commits.
  if (items.length === series.items.length || (series.unmailable !== undefined && items.length > 0 && !here.has(head)))
    return series;
  const last = series.unmailable === undefined ? series.items.findLast((item) => here.has(item.commit))?.commit : head;
  return { ...series, base: last, items };
}

function readItem(item: ManifestItem, objectFormat: ObjectFormat): SeriesItem {
  if (![item.commit, item.tree, ...item.parents].every((id) => isId(id, objectFormat))) throw lie("an id that isn't one", item);
  const raw = Buffer.from(item.raw, "base64");
  if (raw.length > caps.commitBytes || item.bytes > caps.mailBytes) throw lie("more bytes than a commit may have", item);
  if (hashCommit(raw, objectFormat) !== item.commit) throw lie("its id isn't that of its content", item);
  const { tree, parents } = readHeader(raw);
  if (tree !== item.tree) throw lie("its tree isn't that of its content", item);
  if (parents.join(" ") !== item.parents.join(" ")) throw lie("its parents aren't those of its content", item);
  if (item.diff_offset > item.bytes) throw lie("its diff starts behind its end", item);
  const changes = item.changes.map((change) => readChange(change, item));
  return {
    sequence: item.sequence,
    commit: item.commit,
    parents,
    tree,
    raw,
    subject: subjectOf(raw),
    paths: changes.map(({ path }) => path),
    changes,
    bytes: item.bytes,
    sha256: item.sha256,
    diffOffset: item.diff_offset,
  };
}

function isId(text: string, format: ObjectFormat): boolean {
  return (format === "sha1" ? /^[0-9a-f]{40}$/u : /^[0-9a-f]{64}$/u).test(text);
}

/** The id of a commit with this content, as git makes it. */
export function hashCommit(content: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`commit ${content.length}\0`).update(content).digest("hex");
}

/** Tree and parents of a commit object: the header lines up to the first that is neither. */
export function readHeader(raw: Buffer): { tree: string | undefined; parents: string[] } {
  const lines = raw
    .subarray(0, raw.indexOf("\n\n") + 1 || raw.length)
    .toString("latin1")
    .split("\n");
  const tree = lines[0]?.startsWith("tree ") === true ? lines[0].slice(5) : undefined;
  const end = lines.findIndex((line, at) => at > 0 && !line.startsWith("parent "));
  return { tree, parents: lines.slice(1, end).map((line) => line.slice(7)) };
}

/** `:100644 100644 <old> <new> M\tpath`; with a rename there are two paths, which the command line of the wire rules out. */
function readChange(change: string, item: ManifestItem): Change {
  const [record, path, ...more] = change.split("\t");
  if (record?.startsWith(":") !== true || path === undefined || more.length > 0) throw lie("a change that can't be read", item);
  const [oldMode = "", newMode = "", oldId = "", newId = "", status = ""] = record.slice(1).split(" ");
  return { oldMode, newMode, oldId, newId, status, path: unquotePath(path) };
}

/** An untruth of the service: nothing of its series is used then. */
export function lie(what: string, item?: Pick<SeriesItem, "sequence" | "commit">): FerryError {
  const where = item === undefined ? "" : `, commit ${short(item.commit)} (number ${item.sequence})`;
  return new FerryError("failure", `the series doesn't hold what it says${where}: ${what}`, {
    code: "lie",
    hint: "nothing was changed; the service, or something on the way to it, is at fault",
  });
}

export function short(id: string): string {
  return oneLine(id).slice(0, 12);
}
