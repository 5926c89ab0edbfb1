import { type Cursor, Unreadable } from "./cursor.ts";

const lineFeed = 10;
const [blank, minus, plus, backslash] = [0x20, 0x2d, 0x2b, 0x5c];

/**
 * Applies the hunks here to a file's content: without fuzz and without offset, so each line that stays or goes must be there,
 * byte for byte, at the very number that the hunk says.
 * @throws Unreadable where one doesn't
 */
export function applyHunks(diff: Cursor, old: Buffer): Buffer {
  const patching = new Patching(old);
  while (diff.startsWith("@@ -")) patching.hunk(diff);
  return patching.finish();
}

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: |$)/u;

class Patching {
  private readonly old: Buffer;
  private readonly pieces: Buffer[] = [];
  /** Up to where the old content has been looked at, and how many lines that is. */
  private at = 0;
  private line = 0;
  /** From where it hasn't been taken over. */
  private taken = 0;
  private written = 0;
  /** A line without a line feed was written: nothing may follow it. */
  private isEnded = false;

  constructor(old: Buffer) {
    this.old = old;
  }

  hunk(diff: Cursor): void {
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] = header.exec(diff.line()) ?? [];
    if (oldStart === undefined || newStart === undefined) throw new Unreadable("a hunk's header");
    let [gone, come] = [Number(oldLines), Number(newLines)];
    this.skipTo(Number(oldStart) - (gone === 0 ? 0 : 1));
    if (this.written !== Number(newStart) - (come === 0 ? 0 : 1)) throw new Unreadable("a hunk that isn't where it says");
    while (gone > 0 || come > 0) {
      const kind = this.hunkLine(diff);
      if (kind !== plus) gone -= 1;
      if (kind !== minus) come -= 1;
      if (gone < 0 || come < 0) throw new Unreadable("a hunk with more lines than it says");
    }
  }

  finish(): Buffer {
    this.take(this.old.length);
    return Buffer.concat(this.pieces);
  }

  private hunkLine(diff: Cursor): number {
    const start = diff.at + 1;
    const kind = diff.bytes[diff.at];
    const feed = diff.lineEnd();
    diff.at = feed + 1;
    const isLast = diff.bytes[diff.at] === backslash && diff.after("\\ ") !== undefined;
    const end = isLast ? feed : feed + 1;
    if (kind === plus) this.put(diff.bytes.subarray(start, end), isLast);
    else if (kind === blank || kind === minus) this.match(diff.bytes, { start, end, isLast, stays: kind === blank });
    else throw new Unreadable("a hunk with fewer lines than it says");
    return kind;
  }

  private match(
    diff: Buffer,
    { start, end, isLast, stays }: { start: number; end: number; isLast: boolean; stays: boolean },
  ): void {
    const next = this.at + end - start;
    if (next > this.old.length || (isLast && next !== this.old.length)) throw new Unreadable("a line that isn't there");
    if (this.old.compare(diff, start, end, this.at, next) !== 0) throw new Unreadable("a line that isn't there");
    if (!stays) this.take(this.at);
    this.at = next;
    this.line += 1;
    if (stays) this.written += 1;
    else this.taken = next;
  }

  private put(line: Buffer, isLast: boolean): void {
    this.take(this.at);
    this.push(line);
    this.written += 1;
    this.isEnded = isLast;
  }

  /** Goes forward by whole lines, which stay. */
  private skipTo(line: number): void {
    if (line < this.line) throw new Unreadable("hunks out of order");
    while (this.line < line) {
      const feed = this.old.indexOf(lineFeed, this.at);
      if (feed < 0) throw new Unreadable("a hunk behind the end");
      this.at = feed + 1;
      this.line += 1;
      this.written += 1;
    }
  }

  private take(end: number): void {
    this.push(this.old.subarray(this.taken, end));
    this.taken = end;
  }

  private push(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.isEnded) throw new Unreadable("a line behind the last one");
    this.pieces.push(piece);
  }
}
