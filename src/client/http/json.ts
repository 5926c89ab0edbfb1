import { FerryError } from "../../base/errors.ts";

/** The code of an error that says that an answer isn't what the interface promises. */
export const unexpected = "unexpected_answer";

/** No answer of the interface nests more than some ten levels. What walks a value, be it `JSON.stringify`, does so on the stack. */
export const deepest = 500;

/** An answer that isn't the JSON that the interface promises. */
export function broken(what: string, cause?: unknown): FerryError {
  return new FerryError("unavailable", `the service answered with ${what}`, { code: unexpected, cause });
}

export function tooDeep(): FerryError {
  return broken(`something that is nested more than ${deepest} levels deep`);
}

/**
 * JSON from a service as its value.
 * @throws FerryError unavailable for what is nested too deep; SyntaxError for what is no JSON
 */
export function parseShallow(text: string): unknown {
  if (isDeep(text)) throw tooDeep();
  return JSON.parse(text) as unknown;
}

const [quote, backslash] = [0x22, 0x5c];
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

/** Where the string that goes on at `from` has its closing quote. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let run = end;
    while (run > from && text.charCodeAt(run - 1) === backslash) run--;
    if ((end - run) % 2 === 0) return end;
  }
  return text.length;
}
