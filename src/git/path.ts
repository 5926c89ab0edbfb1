import { oneLine } from "../base/text.ts";

/**
 * A path inside of a repository, as git has it: bytes, `/` between names, no leading one. One character stands for one byte
 * (latin1), so that any name keeps its identity as a key; never to be shown or opened as it is.
 */
export type GitPath = string;

export function gitPath(bytes: Uint8Array): GitPath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

export function pathBytes(path: GitPath): Buffer {
  return Buffer.from(path, "latin1");
}

/** For a person: UTF-8 where it is, on one line, harmless. */
export function showPath(path: GitPath): string {
  return oneLine(pathBytes(path).toString("utf8"));
}

/** Undoes git's C-style quoting (quote.c): a path in double quotes with escapes; one without is taken as UTF-8. */
export function unquotePath(text: string): GitPath {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return gitPath(Buffer.from(text, "utf8"));
  const inner = gitPath(Buffer.from(text.slice(1, -1), "utf8"));
  return inner.replace(/\\([0-3][0-7]{2}|.)/gsu, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8)) : (escapes[escape] ?? escape),
  );
}

const escapes: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
