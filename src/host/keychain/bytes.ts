/** D-Bus specification, Marshaling: every value starts at a multiple of its size, counted from the start of the message. */

/** Values one behind the other, little-endian; `bytes` must come to lie at a multiple of 8. */
export class Writer {
  bytes: Buffer = Buffer.alloc(0);

  /** Zeros up to a multiple of `size`. */
  align(size: number): this {
    return this.raw(Buffer.alloc(-this.bytes.length & (size - 1)));
  }

  raw(bytes: Uint8Array): this {
    this.bytes = Buffer.concat([this.bytes, bytes]);
    return this;
  }

  number(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.align(4).raw(bytes);
  }

  /** A string, or the path of an object. */
  text(value: string): this {
    return this.number(Buffer.byteLength(value)).raw(Buffer.from(`${value}\0`));
  }

  signature(value: string): this {
    return this.raw(Buffer.from([value.length])).raw(Buffer.from(`${value}\0`));
  }

  /** An array whose elements start at multiples of `size`. */
  array(size: number, elements: Uint8Array): this {
    return this.number(elements.length).align(size).raw(elements);
  }
}

/** Reads values one behind the other. @throws RangeError behind the end */
export class Reader {
  at = 0;
  private readonly bytes: Buffer;
  private readonly little: boolean;

  constructor(bytes: Buffer, little: boolean) {
    this.bytes = bytes;
    this.little = little;
  }

  align(size: number): void {
    this.at += -this.at & (size - 1);
  }

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  number(): number {
    this.align(4);
    const value = this.little ? this.bytes.readUInt32LE(this.at) : this.bytes.readUInt32BE(this.at);
    this.at += 4;
    return value;
  }

  /** A string, or the path of an object. */
  text(): string {
    const value = this.blob().toString("utf8");
    this.at += 1;
    return value;
  }

  signature(): string {
    const value = this.take(this.byte()).toString("latin1");
    this.at += 1;
    return value;
  }

  /** An array of bytes. */
  blob(): Buffer {
    return this.take(this.number());
  }

  /** An array of strings or paths. */
  texts(): string[] {
    const size = this.number();
    const end = this.at + size;
    const values: string[] = [];
    while (this.at < end) values.push(this.text());
    return values;
  }

  private take(size: number): Buffer {
    const end = this.at + size;
    if (end > this.bytes.length) throw new RangeError("a D-Bus message is shorter than it says");
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}
