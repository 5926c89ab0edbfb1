const [bits, chunkSize] = [12, 4096];

/** A list of numbers that may be long: eight bytes each, and what is there isn't moved when it grows, as an array's is. */
export class Numbers {
  length = 0;
  private readonly chunks: Float64Array[] = [];

  push(value: number): void {
    if (this.length % chunkSize === 0) this.chunks.push(new Float64Array(chunkSize));
    this.set(this.length++, value);
  }

  /** NaN beyond its end. */
  at(place: number): number {
    return place < this.length ? (this.chunks[place >>> bits]?.[place % chunkSize] ?? NaN) : NaN;
  }

  set(place: number, value: number): void {
    const chunk = this.chunks[place >>> bits];
    if (chunk !== undefined) chunk[place % chunkSize] = value;
  }
}
