/** A slot is the two halves of an id's hash, and its number counted from 1; 0 where it is free. */
const slotSize = 3;

/**
 * Numbers the ids of a timeline that may be long, in some 25 bytes each. Of an id 64 bits of hash are kept: that two of a million have
 * the same happens in one of 40 million such timelines. Who sends the ids can make two such, and only hides what he sent himself.
 */
export class Ids {
  size = 0;
  private slots = new Int32Array(slotSize * 1024);
  /** The hash of the id that was looked for last. */
  private low = 0;
  private high = 0;

  /** The number of an id, counted from 0; -1 where it isn't there. */
  find(id: string): number {
    this.digest(id);
    return (this.slots[this.search(this.low, this.high) + 2] ?? 0) - 1;
  }

  /** One that isn't there yet; gives its number. */
  add(id: string): number {
    if (slotSize * this.size * 2 >= this.slots.length) this.grow();
    this.digest(id);
    this.put(this.low, this.high, ++this.size);
    return this.size - 1;
  }

  /** As for the print of an event, twice and differently. */
  private digest(id: string): void {
    let low = 0x011c9dc5;
    let high = 0x1747b28c;
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x01000193);
      low ^= low >>> 15;
      high = Math.imul(high ^ unit, 0x5bd1e995);
      high ^= high >>> 13;
    }
    this.low = low;
    this.high = high;
  }

  /** Where that hash is, or would be. */
  private search(low: number, high: number): number {
    const { slots } = this;
    // As many as a power of two.
    const last = slots.length / slotSize - 1;
    let slot = (low ^ (high << 7)) & last;
    for (; ; slot = (slot + 1) & last) {
      const at = slot * slotSize;
      if (slots[at + 2] === 0 || (slots[at] === low && slots[at + 1] === high)) return at;
    }
  }

  private put(low: number, high: number, number: number): void {
    const at = this.search(low, high);
    this.slots[at] = low;
    this.slots[at + 1] = high;
    this.slots[at + 2] = number;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Int32Array(2 * before.length);
    for (let at = 0; at < before.length; at += slotSize) {
      const number = before[at + 2] ?? 0;
      if (number > 0) this.put(before[at] ?? 0, before[at + 1] ?? 0, number);
    }
  }
}
