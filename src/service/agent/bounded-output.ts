/** What a command printed, as its first and its last bytes: a talkative one can neither fill the memory nor hide how it ended. */
export class BoundedOutput {
  private readonly head: Buffer[] = [];
  private headSize = 0;
  private tail: Buffer[] = [];
  private tailSize = 0;
  /** How many bytes there were so far. */
  total = 0;
  private readonly half: number;

  /** `limit` is the number of bytes that are kept. */
  constructor(limit: number) {
    this.half = Math.floor(limit / 2);
  }

  push(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.half - this.headSize;
    if (room > 0) {
      const first = chunk.subarray(0, room);
      this.head.push(first);
      this.headSize += first.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    this.tail.push(rest);
    this.tailSize += rest.length;
    // Compacted only at twice the size, so that many small writes don't copy it each time.
    if (this.tailSize > 2 * this.half) this.compact();
  }

  /** How many bytes were left out of the middle. */
  get cut(): number {
    return Math.max(0, this.total - 2 * this.half);
  }

  /** The kept bytes as text, with a line that tells of the gap where there is one. */
  text(): string {
    this.compact();
    const [head, tail] = [Buffer.concat(this.head), Buffer.concat(this.tail)];
    if (this.cut === 0) return Buffer.concat([head, tail]).toString("utf8");
    return `${head.toString("utf8")}\n[… ${this.cut} bytes left out …]\n${tail.toString("utf8")}`;
  }

  private compact(): void {
    const kept = Buffer.concat(this.tail);
    this.tail = [this.half === 0 ? Buffer.alloc(0) : kept.subarray(-this.half)];
    this.tailSize = this.tail[0]?.length ?? 0;
  }
}
