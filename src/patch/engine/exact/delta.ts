import { constants, inflateSync } from "node:zlib";
import { Unreadable } from "./cursor.ts";

/** Exactly `size` bytes of a whole zlib stream, with nothing behind it; no more memory than that is taken. @throws Unreadable */
export function inflate(data: Buffer, size: number): Buffer {
  try {
    // An empty output must be allowed one byte: zlib takes no limit of none.
    const { buffer, engine } = inflateSync(data, { maxOutputLength: Math.max(1, size), info: true }) as unknown as Inflated;
    if (buffer.length !== size || engine.bytesWritten !== data.length) throw new Unreadable("a binary patch of another length");
    return buffer;
  } catch (cause) {
    if (cause instanceof Unreadable) throw cause;
    throw new Unreadable("a binary patch that can't be inflated", { cause });
  }
}

/** What zlib gives with `info`. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Applies a delta (gitformat-pack(5), "Deltified representation"): the sizes of both sides, then copies from the old content and
 * bytes of its own.
 * @throws Unreadable where it reaches outside of either, or makes more than `limit` bytes
 */
export function applyDelta(old: Buffer, delta: Buffer, limit: number): Buffer {
  const reader = new DeltaReader(delta);
  if (reader.size() !== old.length) throw new Unreadable("a delta of another content");
  const size = reader.size();
  if (size > limit) throw new Unreadable(`more than ${limit} bytes in one file`);
  const made = Buffer.allocUnsafe(size);
  let at = 0;
  while (!reader.atEnd) {
    const piece = reader.next(old);
    if (piece.length > size - at) throw new Unreadable("a delta that makes more than it says");
    made.set(piece, at);
    at += piece.length;
  }
  if (at !== size) throw new Unreadable("a delta that makes less than it says");
  return made;
}

/** The size of what a delta makes, from the start of its zlib stream. @throws Unreadable where that doesn't tell */
export function deltaTarget(start: Buffer): number {
  try {
    const reader = new DeltaReader(inflateSync(start, { finishFlush: constants.Z_SYNC_FLUSH }));
    reader.size();
    return reader.size();
  } catch (cause) {
    throw new Unreadable("a delta's size", { cause });
  }
}

/** More than any file has; and still a number without loss. */
const maxSize = 2 ** 42;

class DeltaReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Seven bits a byte, the lowest first; the eighth says that more follow. */
  size(): number {
    let size = 0;
    for (let scale = 1; scale < maxSize; scale *= 128) {
      const byte = this.byte();
      size += (byte & 127) * scale;
      if (byte < 128) return size;
    }
    throw new Unreadable("a delta's size");
  }

  /** What the next instruction adds. */
  next(old: Buffer): Buffer {
    const op = this.byte();
    if (op === 0) throw new Unreadable("a delta's instruction");
    if (op < 128) return this.own(op);
    const from = this.bits(op, [1, 2, 4, 8]);
    const length = this.bits(op, [16, 32, 64]) || 0x1_00_00;
    if (from + length > old.length) throw new Unreadable("a delta that copies from behind the end");
    return old.subarray(from, from + length);
  }

  private own(length: number): Buffer {
    const piece = this.bytes.subarray(this.at, this.at + length);
    if (piece.length !== length) throw new Unreadable("a delta that is cut off");
    this.at += length;
    return piece;
  }

  /** A number of which only the bytes that aren't zero are written, one flag each. */
  private bits(op: number, flags: readonly number[]): number {
    return flags.reduce((sum, flag, place) => ((op & flag) === 0 ? sum : sum + this.byte() * 256 ** place), 0);
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Unreadable("a delta that is cut off");
    this.at += 1;
    return byte;
  }
}
