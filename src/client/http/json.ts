import { FerryError } from "../../base/errors.ts";
import { endOfString } from "../../base/json.ts";

/** The code of an error that says that an answer isn't what the interface promises. */
export const unexpected = "unexpected_answer";

/** What the decoders (gzip, br, zstd) say of bytes that are not theirs, and our word for a coding that we don't know. */
const garbled = /^(Z_DATA_ERROR|ERR__ERROR_.*|ZSTD_.*|unknown_encoding)$/;

/** Something came whole, and is not what the interface promises: no JSON, another form or coding, cut where nobody hung up. */
export function isUnreadable(error: FerryError | undefined): boolean {
  return error?.code !== undefined && (error.code === unexpected || garbled.test(error.code));
}

/** No answer of the interface nests more than some ten levels. What walks a value, be it `JSON.stringify`, does so on the stack. */
export const deepest = 500;

/** An answer that isn't the JSON that the interface promises. */
export function broken(what: string, cause?: unknown): FerryError {
  return new FerryError("unavailable", `the service answered with ${what}`, { code: unexpected, cause });
}

/**
 * JSON from a service as its value.
 * @throws FerryError unavailable for what is nested too deep; SyntaxError for what is no JSON
 */
export function parseShallow(text: string): unknown {
  if (isDeep(text)) throw broken(`something that is nested more than ${deepest} levels deep`);
  return JSON.parse(text) as unknown;
}

/**
 * The same of what mustn't hide all else: in the place of what is nested deeper stands "…".
 * @throws SyntaxError for what is no JSON
 */
export function parseCut(text: string): unknown {
  return JSON.parse(cutText(text)) as unknown;
}

/** A JSON text with "…" in the place of what is nested deeper. */
export function cutText(text: string): string {
  if (text.length <= 2 * deepest) return text;
  let [shown, from, depth] = ["", 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at + 1);
    else if (character === openBracket || character === openBrace) {
      if (++depth === deepest + 1) shown += `${text.slice(from, at)}"…"`;
    } else if ((character === closeBracket || character === closeBrace) && depth-- === deepest + 1) from = at + 1;
  }
  return depth > deepest ? shown : shown + text.slice(from);
}

const [quote, colon] = [0x22, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the brackets outside of strings, where there is room for so many. */
function isDeep(text: string): boolean {
  if (text.length <= 2 * deepest) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at + 1);
    else if (character === openBracket || character === openBrace) {
      if (++depth > deepest) return true;
    } else if (character === closeBracket || character === closeBrace) depth--;
  }
  return false;
}

/**
 * Where the value of an object's own member begins in its text; of several with that name the last one's, as for JSON.parse. The
 * end of the text where it has none, and where the name is written with escapes.
 */
export function memberAt(object: string, name: string): number {
  let [depth, found, last] = [0, object.length, ""];
  for (let at = 0; at < object.length; at++) {
    const character = object.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(object, at + 1);
      if (depth === 1) last = object.slice(at + 1, end);
      at = end;
    } else if (character === openBracket || character === openBrace) depth++;
    else if (character === closeBracket || character === closeBrace) depth--;
    else if (character === colon && depth === 1 && last === name) found = at + 1;
  }
  return found;
}

/**
 * A number that an object has under a name, as its digits: beyond 2^53 neighbours are the same to us (RFC 8259, 6), so those have theirs
 * from the object's text.
 */
export function digitsOf(value: number, name: string, text: () => string | undefined): string {
  const object = Number.isSafeInteger(value) ? undefined : text();
  const written = object?.slice(memberAt(object, name)).match(/^\s*(-?\d+)(?![\d.eE])/u);
  return written?.[1] ?? String(value);
}
