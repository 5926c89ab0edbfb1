import type { IncomingMessage } from "node:http";

/** Bytes that may be held at once: by a sandbox's calls, which are bounded by all sandboxes' too. */
export class Allowance {
  private held = 0;
  private readonly most: number;
  private readonly whole: Allowance | undefined;

  constructor(most: number, whole?: Allowance) {
    this.most = most;
    this.whole = whole;
  }

  /** False, and nothing is taken, where it would be too much. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.most || this.whole?.take(bytes) === false) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
    this.whole?.give(bytes);
  }
}

export interface BodyBounds {
  /** Bytes of one body. */
  readonly size: number;
  /** What all bodies that are held together may take. */
  readonly held: Allowance;
  /** How long the sender may be silent, in ms. */
  readonly silence: number;
}

/** A call's body, which counts as held until it is released. */
export interface Body {
  readonly bytes: Uint8Array;
  release(): void;
}

/** Why a call isn't passed on. */
export class RefusedError extends Error {
  /** Of HTTP. */
  readonly status: 408 | 413 | 429;

  constructor(status: RefusedError["status"], message: string) {
    super(message);
    this.status = status;
  }
}

/** What of a refused body is read and dropped, in times its bound: most clients look at no answer before they have sent all. */
const dropped = 4;

/**
 * Reads the body of a call. By events, into one buffer: a chunk of one byte is an object of hundreds, in an array of them as in the
 * queue of a stream that is iterated.
 * @throws RefusedError where it is too large, too much with what is held already, or stalls; Error where the sender has gone
 */
export function readBody(message: IncomingMessage, bounds: BodyBounds): Promise<Body> {
  const buffer = new Buffering(bounds, Number(message.headers["content-length"] ?? bounds.size));
  let received = 0;
  return new Promise((resolve, reject) => {
    let refusal: RefusedError | undefined;
    const settle = (error?: Error) => {
      clearTimeout(stalled);
      message.off("data", add).off("end", end).off("close", gone).pause();
      if (error === undefined) resolve(buffer);
      else {
        buffer.release();
        reject(error);
      }
    };
    const stalled = setTimeout(() => {
      settle(refusal ?? new RefusedError(408, "the call's body stalled"));
    }, bounds.silence);
    const add = (chunk: Buffer) => {
      stalled.refresh();
      received += chunk.length;
      refusal ??= received > bounds.size ? new RefusedError(413, "the call is too large") : buffer.add(chunk);
      if (refusal !== undefined) buffer.release();
      if (received > dropped * bounds.size) settle(refusal);
    };
    const end = () => settle(refusal);
    const gone = () => settle(new Error("the agent is gone"));
    // Whoever has gone closes it too.
    message
      .on("data", add)
      .once("end", end)
      .once("close", gone)
      .on("error", () => undefined);
  });
}

/** Grows by doubling, as far as there is room; what it is copied from is held with it until it is copied. */
class Buffering implements Body {
  private room = Buffer.alloc(0);
  private size = 0;
  private readonly held: Allowance;
  private readonly most: number;

  constructor({ held, size }: BodyBounds, announced: number) {
    this.held = held;
    this.most = Math.min(announced, size);
  }

  get bytes(): Uint8Array {
    return this.room.subarray(0, this.size);
  }

  /** Undefined where it is taken. */
  add(chunk: Buffer): RefusedError | undefined {
    const size = this.size + chunk.length;
    if (size > this.room.length && !this.grow(size))
      return new RefusedError(429, "ferry's gateway holds too much of calls that are under way: try again when fewer are");
    chunk.copy(this.room, this.size);
    this.size = size;
    return undefined;
  }

  release(): void {
    this.held.give(this.room.length);
    this.room = Buffer.alloc(0);
    this.size = 0;
  }

  private grow(needed: number): boolean {
    const capacity = Math.max(needed, Math.min(2 * this.room.length, this.most));
    if (!this.held.take(capacity)) return false;
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.room.copy(larger);
    this.held.give(this.room.length);
    this.room = larger;
    return true;
  }
}
