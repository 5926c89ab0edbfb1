import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { coalesce } from "../series/bytes.ts";
import { type Origin, storePack } from "./pack.ts";
import type { SeriesItem } from "../series/series.ts";
import type { Workshop } from "./engine.ts";

/**
 * Writes the sandbox's commit objects byte for byte: with signatures, encodings, odd idents and messages that no command line
 * could make again. Their trees must be there already. As one pack: a file for each would take longer than all else.
 * @throws FerryError failure for what git doesn't take for a commit
 */
export async function writeCommits(items: readonly SeriesItem[], workshop: Workshop): Promise<void> {
  await storeCommits(items, workshop);
  await workshop.checkpoint("written");
}

type Raw = Pick<SeriesItem, "commit" | "raw">;

/** Writes commits, whose trees and parents must be there. */
export async function storeCommits(
  items: readonly Raw[],
  { git, quarantine, signal }: Pick<Workshop, "git" | "quarantine" | "signal">,
): Promise<void> {
  const args = ["index-pack", "--stdin", "--strict"];
  await storePack(git, args, {
    ...quarantine.options,
    config: { "core.fsync": "none" },
    signal,
    origin: itself,
    input: coalesce(packOf(items)),
  });
}

const itself: Origin = (object) => Promise.resolve(object);

const version = 2;
const commitType = 1;

/** gitformat-pack(5): a header with the number of objects, the objects, the hash of all that. */
async function* packOf(items: readonly Raw[]): AsyncGenerator<Uint8Array> {
  const header = Buffer.from("PACK\0\0\0\0\0\0\0\0", "latin1");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(items.length, 8);
  const hash = createHash(items[0]?.commit.length === 64 ? "sha256" : "sha1").update(header);
  yield header;
  for (const { raw } of items) {
    const object = Buffer.concat([objectHeader(raw.length), deflateSync(raw)]);
    hash.update(object);
    yield await Promise.resolve(object);
  }
  yield hash.digest();
}

/** Type and size: four bits of the size in the first byte, then seven each; the highest bit says that more follow. */
function objectHeader(size: number): Buffer {
  const bytes = [(commitType << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128);
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}
