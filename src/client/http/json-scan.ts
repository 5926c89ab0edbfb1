import { broken, deepest } from "./json.ts";

const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon, quote, backslash] = [0x2c, 0x3a, 0x22, 0x5c];
const wantedKey = Buffer.from("created_at");
/** A text that is longer than this is searched for its end, which takes a call, and not walked through. */
const walked = 40;

/** Finds the items of a JSON array in bytes that grow, without a look at what they say. All places are offsets in those bytes. */
export class ItemScan {
  /** So many bytes are items that are whole. */
  done = 0;
  /** Behind the array's last byte, once it has ended. */
  end = 0;
  /** An item is nested deeper than JSON is taken as it is (`parseCut`). */
  isDeep = false;
  private places: number[] = [];
  /** Where to look on; where the item under way and, within a text, that text began. */
  private at = 0;
  private itemStart = 0;
  private textStart = -1;
  private depth = 0;
  private isFirst = true;
  /** The text before; whether what comes is the value of `created_at`, and where that was. */
  private lastStart = 0;
  private lastEnd = 0;
  private isWanted = false;
  private valueStart = 0;
  private valueEnd = 0;

  /** Looks at what was added to the bytes since the last call; says whether the array has ended. */
  look(bytes: Buffer): boolean {
    const size = bytes.length;
    let { at, depth } = this;
    while (at < size) {
      if (this.textStart >= 0) {
        const end = endOfText(bytes, at);
        at = Math.abs(end);
        if (end < 0) break;
        this.endText(end, depth);
        at++;
        continue;
      }
      const byte = bytes[at++];
      if (byte === quote) this.textStart = at;
      else if (byte === colon) {
        if (depth === 2) this.isWanted = isWantedKey(bytes, this.lastStart, this.lastEnd);
      } else if (byte === comma) {
        if (depth === 1) this.endItem(bytes, at);
        else if (depth === 2) this.isWanted = false;
      } else if (byte === openBrace || byte === openBracket) {
        if (depth++ === 0) this.itemStart = at;
        else if (depth > deepest) this.isDeep = true;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (--depth > 0) continue;
        if (byte !== closeBracket) throw broken("a list that is no JSON");
        this.end = at;
        if (!this.isFirst || !isBlank(bytes, this.itemStart, at - 1)) this.endItem(bytes, at);
        return true;
      }
    }
    this.at = at;
    this.depth = depth;
    return false;
  }

  /** The places of the items that are whole, as in Slices; the bytes after them are the start of what is looked at next. */
  take(): readonly number[] {
    const { places, done } = this;
    this.at -= done;
    this.itemStart -= done;
    this.lastStart -= done;
    this.lastEnd -= done;
    if (this.textStart >= 0) this.textStart -= done;
    if (this.valueEnd > 0) [this.valueStart, this.valueEnd] = [this.valueStart - done, this.valueEnd - done];
    this.places = [];
    this.done = 0;
    return places;
  }

  private endText(end: number, depth: number): void {
    this.lastStart = this.textStart;
    this.lastEnd = end;
    this.textStart = -1;
    if (!this.isWanted || depth !== 2) return;
    this.valueStart = this.lastStart;
    this.valueEnd = end;
    this.isWanted = false;
  }

  /** `next` is behind the comma or bracket that ended it. */
  private endItem(bytes: Buffer, next: number): void {
    if (isBlank(bytes, this.itemStart, next - 1)) throw broken("a list that is no JSON");
    this.places.push(this.itemStart, next - 1, this.valueStart, this.valueEnd);
    this.done = this.itemStart = next;
    this.isFirst = this.isWanted = false;
    this.valueStart = this.valueEnd = 0;
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] ?? 0) <= 0x20) at++;
  return at === end;
}

function isWantedKey(bytes: Buffer, start: number, end: number): boolean {
  return start >= 0 && end - start === wantedKey.length && wantedKey.compare(bytes, start, end) === 0;
}

/** Where the text that goes on at `from` ends: its closing quote. Where it doesn't, the negative of where to look on. */
function endOfText(bytes: Buffer, from: number): number {
  const size = bytes.length;
  let at = from;
  for (const stop = Math.min(size, from + walked); at < stop; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  while (at < size) {
    const found = bytes.indexOf(quote, at);
    const end = found < 0 ? size : found;
    let run = end;
    while (run > at && bytes[run - 1] === backslash) run--;
    const isEscaped = (end - run) % 2 === 1;
    if (found >= 0 && !isEscaped) return end;
    // What is escaped by the last byte has yet to come.
    at = isEscaped ? end + 1 : end;
  }
  return -at;
}
