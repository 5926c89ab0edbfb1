import { NoAnswerError } from "../../base/errors.ts";
import { broken, parseCut, unexpected } from "./json.ts";
import { ItemScan } from "./json-scan.ts";

/** A list is given out in portions of at least so many bytes: enough for speed, little in memory. */
const portion = 256 * 1024;
/** An item that is longer than this is none of ours, in bytes. */
const longestItem = 64 * 1024 * 1024;

/** Some items of a list as they came, not yet looked at; good until the next are asked for. */
export interface Slices {
  readonly bytes: Buffer;
  /** Four numbers an item: where it starts and ends, and where the text of its own `created_at` does (0 and 0 without one). */
  readonly places: readonly number[];
  /** One of them, or of those before, is nested deeper than JSON is taken as it is. */
  readonly isDeep: boolean;
}

/**
 * The items of a JSON array (RFC 8259, 5) as slices of its bytes, in portions, without ever holding the whole of it. Returns the
 * whole body where it is no array. Whether an item is JSON, its reader finds out.
 * @throws FerryError unavailable where the array is cut off or garbled
 */
export async function* sliceArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Slices, Uint8Array | undefined> {
  const scan = new ItemScan();
  let held: Buffer = Buffer.allocUnsafe(2 * portion);
  let size = 0;
  let isArray: boolean | undefined;
  let isOver = false;
  for await (const chunk of chunks) {
    if (isOver) {
      // Blanks, read so that the connection can be used again; anything longer isn't worth it.
      if (!isBlank(chunk)) throw broken("something after the end of a list");
      size += chunk.length;
      if (size > portion) break;
      continue;
    }
    if (size + chunk.length > held.length) held = grown(held, size, 2 * held.length + chunk.length);
    held.set(chunk, size);
    size += chunk.length;
    const bytes = held.subarray(0, size);
    isArray ??= startsArray(chunk);
    if (isArray === undefined && size > portion) throw broken("blanks without end");
    isOver = isArray === true && scan.look(bytes);
    const { done } = scan;
    if (isOver || done >= portion) {
      const places = scan.take();
      if (isOver && !isBlank(bytes.subarray(scan.end))) throw broken("something after the end of a list");
      if (places.length > 0) yield { bytes: bytes.subarray(0, done), places, isDeep: scan.isDeep };
      held.copyWithin(0, done, size);
      size -= done;
    }
    if (size > longestItem) throw broken("an item without end");
  }
  if (isOver) return undefined;
  // Also where the connection ended well: it is the answer that did not.
  if (isArray === true)
    throw new NoAnswerError("the service answered with a list that is cut off", { sent: true, code: unexpected });
  return held.subarray(0, size);
}

/** The items of an array that is there as a whole, and known to be one; whatever comes after it is left. */
export function wholeSlices(bytes: Buffer): Slices {
  const scan = new ItemScan();
  scan.look(bytes);
  const end = scan.done;
  return { bytes: bytes.subarray(0, end), places: scan.take(), isDeep: scan.isDeep };
}

/**
 * What slices of a list say, each of one item or several; `isDeep` as in Slices.
 * @throws FerryError unavailable where one is no JSON
 */
export function parseItems(slices: readonly Buffer[], isDeep: boolean): unknown[] {
  const text = `[${slices.map((slice) => slice.toString("utf8")).join(",")}]`;
  try {
    return (isDeep ? parseCut(text) : JSON.parse(text)) as unknown[];
  } catch (cause) {
    throw broken("a list that is no JSON", cause);
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte <= 0x20);
}

function grown(bytes: Buffer, size: number, capacity: number): Buffer {
  const next = Buffer.allocUnsafe(capacity);
  bytes.copy(next, 0, 0, size);
  return next;
}

/** Of what isn't blank before a value: a byte order mark's bytes, which may come one by one. */
const mark: readonly number[] = [0xef, 0xbb, 0xbf];

/** Whether the first thing in it is an array's start; undefined where there are only blanks. */
function startsArray(chunk: Uint8Array): boolean | undefined {
  const first = chunk.find((byte) => byte > 0x20 && !mark.includes(byte));
  return first === undefined ? undefined : first === 0x5b;
}
