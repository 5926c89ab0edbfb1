/** Cuts a stream of pieces of any size at the places asked for. */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** At most `size` bytes, fewer at the end of the stream. */
  async *take(size: number): AsyncGenerator<Uint8Array> {
    let left = size;
    while (left > 0 && (await this.fill())) {
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** All that is left. */
  async *toEnd(): AsyncGenerator<Uint8Array> {
    while (await this.fill()) {
      const piece = this.rest;
      this.rest = new Uint8Array();
      yield piece;
    }
  }

  /** The bytes up to a line feed, without it; undefined where none comes within `limit` bytes. */
  async line(limit: number): Promise<Buffer | undefined> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    while (size <= limit && (await this.fill())) {
      const end = this.rest.indexOf(10);
      const piece = end < 0 ? this.rest : this.rest.subarray(0, end);
      pieces.push(piece);
      size += piece.length;
      this.rest = this.rest.subarray(end < 0 ? piece.length : end + 1);
      if (end >= 0) return size <= limit ? Buffer.concat(pieces) : undefined;
    }
    return undefined;
  }

  async ended(): Promise<boolean> {
    return !(await this.fill());
  }

  private async fill(): Promise<boolean> {
    while (this.rest.length === 0) {
      const next = await this.source.next();
      if (next.done === true) return false;
      this.rest = next.value;
    }
    return true;
  }
}

const enough = 64 * 1024;

/** The same bytes in fewer pieces: each would be a write of its own. */
export async function* coalesce(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < enough) continue;
    yield Buffer.concat(held, size);
    held = [];
    size = 0;
  }
  yield Buffer.concat(held, size);
}
