import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { ByteReader } from "./bytes.ts";
import { lie, type SeriesItem } from "./series.ts";

/** A commit's diff, byte for byte; "" where it has none. */
export interface Mail {
  readonly item: SeriesItem;
  readonly diff: Buffer;
}

/** A message of the service's mbox, byte for byte. */
export interface Message {
  readonly item: SeriesItem;
  readonly message: Buffer;
}

/**
 * The messages of the service's mbox, one by one: each is checked against its length and hash before it is given, and a message's
 * worth is all that is held.
 * @throws FerryError failure where the mbox isn't what the manifest says
 */
export async function* readMessages(mbox: AsyncIterable<Uint8Array>, items: readonly SeriesItem[]): AsyncGenerator<Message> {
  const bytes = new ByteReader(mbox);
  for (const item of items) yield { item, message: await readPart(bytes, item, 0) };
  if (!(await bytes.ended())) throw lie("more patches than commits");
}

/** The same, of each its diff alone. @throws FerryError failure as readMessages does */
export async function* readMails(mbox: AsyncIterable<Uint8Array>, items: readonly SeriesItem[]): AsyncGenerator<Mail> {
  const bytes = new ByteReader(mbox);
  for (const item of items) yield { item, diff: await readDiff(bytes, item) };
  if (!(await bytes.ended())) throw lie("more patches than commits");
}

/**
 * Writes mails of our own to a file: the sequence number as Subject, then the diff, byte for byte. So neither a message nor a name
 * from the sandbox ever meets git's mail parsing, which loses some and obeys others.
 */
export async function spoolMails(mails: AsyncIterable<Mail>, path: string, each: (done: number) => void): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let done = 0;
  try {
    for await (const { item, diff } of mails) {
      // A blank line of our own between the mails: the last line of a diff belongs to it.
      await file.writev([Buffer.from(mailHeader(item.sequence)), diff, Buffer.from("\n")]);
      each((done += 1));
    }
  } finally {
    await file.close();
  }
}

async function readDiff(bytes: ByteReader, item: SeriesItem): Promise<Buffer> {
  const diff = await readPart(bytes, item, item.diffOffset);
  if (diff.length > 0 && diff.toString("latin1", 0, 11) !== "diff --git ")
    throw lie("its diff isn't where the manifest says", item);
  return diff;
}

/** One message from a byte of it on. */
async function readPart(bytes: ByteReader, item: SeriesItem, from: number): Promise<Buffer> {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  let at = 0;
  for await (const piece of bytes.take(item.bytes)) {
    hash.update(piece);
    if (at + piece.length > from) pieces.push(piece.subarray(Math.max(0, from - at)));
    at += piece.length;
  }
  if (at !== item.bytes) throw lie("its patch is cut off", item);
  if (hash.digest("hex") !== item.sha256) throw lie("its patch isn't the one that the manifest tells of", item);
  return Buffer.concat(pieces);
}

/** Names nobody: the commits that `git am` makes of these are only a step on the way to the sandbox's own. */
function mailHeader(sequence: number): string {
  return [
    "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001",
    "From: ferry <ferry@localhost>",
    "Date: Thu, 1 Jan 2026 00:00:00 +0000",
    `Subject: ${sequence}`,
    "",
    "",
  ].join("\n");
}
