import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { ByteReader } from "./bytes.ts";
import { lie, type SeriesItem } from "./series.ts";

/**
 * Turns the service's mbox into mails of our own, in a file: the sequence number as Subject, then the diff, byte for byte. So
 * neither a message nor a name from the sandbox ever meets git's mail parsing, which loses some and obeys others. Each message is
 * checked against its length and hash, and a message's worth is all that is held.
 * @throws FerryError failure where the mbox isn't what the manifest says
 */
export async function spoolMails(
  mbox: AsyncIterable<Uint8Array>,
  { items, path, each }: { items: readonly SeriesItem[]; path: string; each: (done: number) => void },
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    const bytes = new ByteReader(mbox);
    for (const [at, item] of items.entries()) {
      await spoolMail(file, bytes, item);
      each(at + 1);
    }
    if (!(await bytes.ended())) throw lie("more patches than commits");
  } finally {
    await file.close();
  }
}

async function spoolMail(file: FileHandle, bytes: ByteReader, item: SeriesItem): Promise<void> {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [Buffer.from(mailHeader(item.sequence))];
  let at = 0;
  for await (const piece of bytes.take(item.bytes)) {
    hash.update(piece);
    if (at + piece.length > item.diffOffset) pieces.push(piece.subarray(Math.max(0, item.diffOffset - at)));
    at += piece.length;
  }
  if (at !== item.bytes) throw lie("its patch is cut off", item);
  if (hash.digest("hex") !== item.sha256) throw lie("its patch isn't the one that the manifest tells of", item);
  const diff = pieces.slice(1);
  if (diff.length > 0 && !startsDiff(diff)) throw lie("its diff isn't where the manifest says", item);
  // A blank line of our own between the mails: the last line of a diff belongs to it.
  await file.writev([...pieces, Buffer.from("\n")]);
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

function startsDiff(pieces: readonly Uint8Array[]): boolean {
  return Buffer.concat(pieces.slice(0, 16)).subarray(0, 11).toString("latin1") === "diff --git ";
}
