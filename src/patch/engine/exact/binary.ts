import { type Cursor, Unreadable } from "./cursor.ts";
import { applyDelta, deltaTarget, inflate } from "./delta.ts";

/** The characters of git's base85 (base85.c), by their values. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const values = new Int8Array(256).fill(-1);
for (let at = 0; at < alphabet.length; at += 1) values[alphabet.charCodeAt(at)] = at;

/** @throws Unreadable for what isn't one, is damaged, or makes more than `limit` bytes */
export function applyBinary(diff: Cursor, old: Buffer, limit: number): Buffer {
  if (diff.line() !== "GIT binary patch") throw new Unreadable("a binary patch that is none");
  const forward = readBlock(diff);
  // What would undo it, which nobody asks for; but it must be one.
  if (diff.startsWith("literal ") || diff.startsWith("delta ")) readBlock(diff);
  if (forward.size > limit) throw new Unreadable(`more than ${limit} bytes in one file`);
  const content = inflate(forward.data, forward.size);
  return forward.kind === "literal" ? content : applyDelta(old, content, limit);
}

/** Bytes of a zlib stream after which it has told a delta's sizes, if git made it. */
const telling = 3000;

/**
 * How many bytes the block whose header stands here would make, as git inflates it; undefined for a line that is no header.
 * @throws Unreadable where a delta doesn't tell
 */
export function blockSize(diff: Cursor): number | undefined {
  const [, kind, size] = /^(literal|delta) (\d+)/u.exec(diff.line()) ?? [];
  if (kind !== "delta") return size === undefined ? undefined : Number(size);
  const pieces: Buffer[] = [];
  for (let have = 0; have < telling && !diff.atEnd; have += pieces.at(-1)?.length ?? 0) {
    const start = diff.at;
    const end = diff.lineEnd();
    if (end === start) break;
    pieces.push(decodeLine(diff.bytes, start, end));
    diff.at = end + 1;
  }
  return Math.max(Number(size), deltaTarget(Buffer.concat(pieces)));
}

interface Block {
  readonly kind: "literal" | "delta";
  /** Of the data once inflated. */
  readonly size: number;
  readonly data: Buffer;
}

/** `literal N` or `delta N`, lines of base85, an empty line. */
function readBlock(diff: Cursor): Block {
  const [, kind, size] = /^(literal|delta) (\d{1,15})$/u.exec(diff.line()) ?? [];
  if (size === undefined) throw new Unreadable("a binary patch's header");
  const pieces: Buffer[] = [];
  for (;;) {
    const start = diff.at;
    const end = diff.lineEnd();
    diff.at = end + 1;
    if (end === start) return { kind: kind as Block["kind"], size: Number(size), data: Buffer.concat(pieces) };
    pieces.push(decodeLine(diff.bytes, start, end));
  }
}

/** A line's first letter tells how many bytes it holds: A–Z for 1–26, a–z for 27–52. Each four of them are five characters. */
function decodeLine(bytes: Buffer, start: number, end: number): Buffer {
  const letter = bytes[start] ?? 0;
  const size = letter >= 0x61 && letter <= 0x7a ? letter - 0x46 : letter >= 0x41 && letter <= 0x5a ? letter - 0x40 : 0;
  const groups = Math.ceil(size / 4);
  if (size === 0 || end - start - 1 !== groups * 5) throw new Unreadable("a binary patch's line");
  const decoded = Buffer.allocUnsafe(groups * 4);
  for (let group = 0, at = start + 1; group < groups; group += 1, at += 5) {
    let word = 0;
    for (let place = at; place < at + 5; place += 1) {
      const value = values[bytes[place] ?? 0] ?? -1;
      if (value < 0) throw new Unreadable("a binary patch's line");
      word = word * 85 + value;
    }
    if (word > 0xff_ff_ff_ff) throw new Unreadable("a binary patch's line");
    decoded.writeUInt32BE(word, group * 4);
  }
  return decoded.subarray(0, size);
}
