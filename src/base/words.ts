import { FerryError } from "./errors.ts";
import { oneLine } from "./text.ts";

/**
 * A command line as words, with quotes and backslashes as in a shell (POSIX, Shell Command Language, 2.2) and nothing else of one.
 * @throws FerryError usage where a quote doesn't end
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length;) {
    const [piece = ""] = /^(?:\s+|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\]+)/u.exec(line.slice(at)) ?? [];
    if (piece === "") throw new FerryError("usage", "a quote in the command line doesn't end");
    at += piece.length;
    if (/^\s/u.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + unquoted(piece);
  }
  return word === undefined ? words : [...words, word];
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replaceAll(/\\(["\\$`])/gu, "$1");
  return piece.startsWith("\\") ? piece.slice(1) : piece;
}

/** `a`, `a or b`, `a, b or c`. */
export function either(things: readonly string[]): string {
  return [things.slice(0, -1).join(", "), things.at(-1)].filter(Boolean).join(" or ");
}

/** What single quotes keep from being itself in some shell; of cmd, what it takes for a variable's name between two `%`, which no digit begins. */
const inTheWay = /['\u2018-\u201b\\&|<>^]|%(?!\d)(?=.*%)/gu;

/**
 * A text as one word of a command that is printed to be copied. What a service, a repository or a path is called is somebody else's
 * choice, and must be nothing but a name there, in any shell that a person may have (sh, fish, PowerShell, cmd). Where no quotes do
 * that in all of them, `…` stands for the characters that are in the way: no pattern, nor what ends the path of an address.
 */
export function shellWord(text: string): string {
  const plain = oneLine(text);
  return exactWord(plain) ?? `'${plain.replace(inTheWay, "…")}'`;
}

/** The same for what names another thing where a character is replaced, an address above all: undefined, if one would be. */
export function exactWord(text: string): string | undefined {
  if (/^[\w./:+][\w./:+-]*$/u.test(text) || /^-[\w-]+$/u.test(text)) return text;
  if (text !== oneLine(text)) return undefined;
  if (!/["\u201c-\u201e$`!]|\\(?:\\|$)|%(?!\d)(?=.*%)/u.test(text)) return `"${text}"`;
  return text.search(inTheWay) === -1 ? `'${text}'` : undefined;
}
