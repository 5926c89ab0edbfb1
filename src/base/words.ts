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

/**
 * A text as one word of a command that is printed to be copied. What a service, a repository or a path is called is somebody else's
 * choice, and must be nothing but a name there, in any shell that a person may have (sh, fish, PowerShell, cmd). Where no quotes do
 * that in all of them, `?` stands for the characters that are in the way.
 */
export function shellWord(text: string): string {
  if (/^[\w./:+][\w./:+-]*$/u.test(text) || /^-[\w-]+$/u.test(text)) return text;
  const plain = oneLine(text);
  if (!/["\u201c-\u201e$`!%]|\\(?:\\|$)/u.test(plain)) return `"${plain}"`;
  return `'${plain.replace(/['\u2018-\u201b\\&|<>^%]/gu, "?")}'`;
}
