import { FerryError } from "../../base/errors.ts";
import { unexpected } from "./body.ts";

/** So many bytes of a list are parsed at once: enough for speed, little in memory. */
const portion = 1024 * 1024;
/** An item that is longer than this is none of ours, in bytes. */
const longestItem = 64 * 1024 * 1024;

const [openBracket, closeBracket, openBrace, closeBrace, comma, quote, backslash] = [0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x22, 0x5c];

export interface Portion {
  readonly items: unknown[];
  /** How long it was as text, in bytes. */
  readonly size: number;
}

/**
 * The items of a JSON array (RFC 8259, 5), in portions, without ever holding the whole of it. What is no array is held, and left
 * to `otherwise`.
 * @throws FerryError unavailable where it is cut off or garbled
 */
export async function* parseArray(
  chunks: AsyncIterable<Uint8Array>,
  otherwise: (body: Uint8Array) => unknown[],
): AsyncGenerator<Portion> {
  const scan = makeScan();
  let held: Uint8Array[] = [];
  let size = 0;
  let isArray: boolean | undefined;
  for await (const chunk of chunks) {
    let start = 0;
    isArray ??= startsArray(chunk);
    for (let at = isArray === true ? scan(chunk, 0) : -1; at !== -1; at = scan(chunk, at + 1)) {
      if (size + at - start < portion && chunk[at] === comma) continue;
      yield { items: parseItems([...held, chunk.subarray(start, at)]), size: size + at - start };
      if (chunk[at] === closeBracket) return;
      // What follows is read as an array of its own.
      [held, size, start] = [[Uint8Array.of(openBracket)], 0, at + 1];
    }
    held.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > longestItem) throw broken("an item without end");
  }
  if (isArray === true) throw broken("a list that is cut off");
  yield { items: otherwise(Buffer.concat(held)), size };
}

/** Whether the first thing in it is an array's start; undefined where there are only blanks. */
function startsArray(chunk: Uint8Array): boolean | undefined {
  const first = new TextDecoder().decode(chunk).trimStart();
  return first === "" ? undefined : first.startsWith("[");
}

/** The bytes of an array without its end. */
function parseItems(parts: readonly Uint8Array[]): unknown[] {
  try {
    return JSON.parse(`${new TextDecoder().decode(Buffer.concat(parts))}]`) as unknown[];
  } catch (cause) {
    throw broken("a list that is no JSON", cause);
  }
}

function broken(what: string, cause?: unknown): FerryError {
  return new FerryError("unavailable", `the service answered with ${what}`, { code: unexpected, cause });
}

/** Finds the next comma or bracket that ends an item, from a place in a chunk on; -1 where the chunk has none. */
function makeScan(): (chunk: Uint8Array, from: number) => number {
  let depth = 0;
  let inText = false;
  /** The chunk before ended in the middle of an escape. */
  let escaped = false;
  return (chunk, from) => {
    let at = from;
    while (at < chunk.length) {
      if (inText) {
        const end = endOfText(chunk, at, escaped);
        escaped = end === -1 && endsEscaped(chunk, at, escaped);
        if (end === -1) return -1;
        inText = false;
        at = end + 1;
        continue;
      }
      const byte = chunk[at];
      if (byte === quote) inText = true;
      else if (byte === openBracket || byte === openBrace) depth++;
      else if (byte === closeBracket || byte === closeBrace) {
        if (--depth === 0) return at;
      } else if (byte === comma && depth === 1) return at;
      at++;
    }
    return -1;
  };
}

/** Where the text that goes on at `from` ends; most bytes of a timeline are text, so it is searched for and not walked through. */
function endOfText(chunk: Uint8Array, from: number, escaped: boolean): number {
  let end = chunk.indexOf(quote, from);
  while (end !== -1 && endsEscaped(chunk.subarray(0, end), from, escaped)) end = chunk.indexOf(quote, end + 1);
  return end;
}

/** Whether the text from `from` to the end of the bytes leaves an escape open: an odd number of backslashes. */
function endsEscaped(bytes: Uint8Array, from: number, escaped: boolean): boolean {
  let first = bytes.length;
  while (first > from && bytes[first - 1] === backslash) first--;
  const run = bytes.length - first + (first === from && escaped ? 1 : 0);
  return run % 2 === 1;
}
