/**
 * What tells two versions of one event apart: 32 bits that depend on every byte (after FNV-1a, on four bytes at a time), and the
 * length. No hash for who wants to deceive: who sends the events can say what he likes anyway.
 */
export function print(bytes: DataView, start: number, end: number): number {
  let hash = 0x811c9dc5;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ bytes.getInt32(at, true), 0x01000193);
    // The multiplication alone carries nothing downwards.
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes.getUint8(at), 0x01000193);
  return ((end - start) % 0x100000) * 0x100000000 + (hash >>> 0);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The print of a JSON value whose own bytes are not at hand: of its texts, and of what is around them in their order. */
export function printOf(value: unknown): number {
  return new Print().add(value).sum;
}

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Takes in a value as its JSON has it, without that being made: it would take far longer. */
class Print {
  private hash = 0x811c9dc5;
  private size = 0;

  get sum(): number {
    return (this.size % 0x100000) * 0x100000000 + (this.hash >>> 0);
  }

  add(value: unknown): this {
    if (typeof value === "string") this.addText(value, quote);
    else if (Array.isArray(value)) {
      this.addUnit(openBracket);
      for (const each of value as readonly unknown[]) this.add(each);
      this.addUnit(closeBracket);
    } else if (typeof value === "object" && value !== null) {
      this.addUnit(openBrace);
      for (const [name, each] of Object.entries(value)) {
        this.addText(name, colon);
        this.add(each);
      }
      this.addUnit(closeBrace);
    } else this.addText(JSON.stringify(value ?? null), comma);
    return this;
  }

  /** Its length goes with it, so that no other two texts side by side are taken for it. `kind`: what it is. */
  private addText(text: string, kind: number): void {
    let { hash } = this;
    let at = 0;
    // Two at a time.
    for (const last = text.length - 1; at < last; at += 2) {
      hash = Math.imul(hash ^ text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 16), 0x01000193);
      hash ^= hash >>> 15;
    }
    this.hash = hash;
    if (at < text.length) this.addUnit(text.charCodeAt(at));
    this.size += text.length;
    this.addUnit(text.length);
    this.addUnit(kind);
  }

  private addUnit(unit: number): void {
    this.hash = Math.imul(this.hash ^ unit, 0x01000193);
    this.hash ^= this.hash >>> 15;
    this.size++;
  }
}
