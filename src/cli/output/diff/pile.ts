import type { Printer } from "../printer.ts";

/** More than this isn't held, in bytes. */
const most = 32 * 1024 * 1024;

/**
 * Text that is made while others wait for us, and printed once they needn't: whoever reads it may take their time. What is too
 * much to be held goes out at once.
 */
export class Pile {
  private readonly printer: Pick<Printer, "data">;
  private pieces: (string | Uint8Array)[] = [];
  private size = 0;

  constructor(printer: Pick<Printer, "data">) {
    this.printer = printer;
  }

  async take(source: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const piece of source) {
      this.pieces.push(piece);
      this.size += piece.length;
      if (this.size > most) await this.print();
    }
  }

  async print(): Promise<void> {
    const { pieces } = this;
    this.pieces = [];
    this.size = 0;
    for (const piece of pieces) await this.printer.data(piece);
  }
}
