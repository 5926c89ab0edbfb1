import type { Payload } from "../../../wire/event.ts";

const mebibyte = 1024 * 1024;
/** Of the timeline in one turn, in MiB. */
const most = 32;
/** What the store needs for an event beside its payload, in bytes, roughly. */
const overhead = 256;

/** How much of the timeline one turn may fill, by what it tells or by what it changes: whatever limits its sandbox has, the disk behind this isn't in it. */
export class Allowance {
  private left = most * mebibyte;
  private over = false;

  /** Once something didn't fit: what comes after it isn't taken either, so that no gap is where nobody looks for one. */
  get isUsedUp(): boolean {
    return this.over;
  }

  /** What it is, for people. */
  readonly size = `${most} MiB`;

  /** Whether so many more bytes fit; what takes fewer than it took before always does. */
  take(bytes: number): boolean {
    if (bytes > 0 && (this.over || bytes > this.left)) {
      this.over = true;
      return false;
    }
    this.left -= bytes;
    return true;
  }
}

/** The bytes that an event fills. */
export function sizeOf(payload: Payload): number {
  return Buffer.byteLength(JSON.stringify(payload)) + overhead;
}
