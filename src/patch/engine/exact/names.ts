import type { GitPath } from "../../../git/path.ts";
import { Unreadable } from "./cursor.ts";

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  '"': '"',
  "\\": "\\",
};

/** git's C-style quoting (quote.c), strictly; one without quotes is itself. One character a byte. */
export function unquoteName(text: string): GitPath {
  if (!text.startsWith('"')) return text;
  const [whole, inner] = quoted.exec(text) ?? [];
  if (inner === undefined || whole !== text) throw new Unreadable("a name's quotes");
  return unescape(inner);
}

/** The names of a `diff --git` line behind that word, without their `a/` and `b/`. `renamed` tells them apart where blanks don't. */
export function readNames(text: string, renamed: { from: GitPath; to: GitPath } | undefined): { from: GitPath; to: GitPath } {
  if (renamed !== undefined && text === `a/${renamed.from} b/${renamed.to}`) return renamed;
  const [one, other] = text.includes('"') ? splitQuoted(text) : splitSame(text);
  const names = { from: withoutPrefix(one, "a/"), to: withoutPrefix(other, "b/") };
  if (renamed === undefined ? names.from !== names.to : names.from !== renamed.from || names.to !== renamed.to)
    throw new Unreadable("its names don't agree");
  return names;
}

/** The name of a `---` or `+++` line; undefined for /dev/null. A tab ends a name with blanks in it. */
export function readSideName(text: string, prefix: "a/" | "b/"): GitPath | undefined {
  const name = text.endsWith("\t") ? text.slice(0, -1) : text;
  return name === "/dev/null" ? undefined : withoutPrefix(unquoteName(name), prefix);
}

const quoted = /^"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*)"/u;

function unescape(inner: string): string {
  return inner.replace(/\\([0-3][0-7]{2}|.)/gsu, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8)) : (escapes[escape] ?? escape),
  );
}

/** Two names of which one at least is in quotes. A name with a quote in it is always quoted, so the first one bounds the other. */
function splitQuoted(text: string): [string, string] {
  const [first] = quoted.exec(text) ?? [];
  if (first !== undefined && text[first.length] === " ") return [unquoteName(first), unquoteName(text.slice(first.length + 1))];
  const middle = text.indexOf(' "');
  if (middle <= 0 || text.startsWith('"')) throw new Unreadable("a name's quotes");
  return [text.slice(0, middle), unquoteName(text.slice(middle + 1))];
}

/** `a/NAME b/NAME`: blanks in the name don't matter, since both halves are one length. */
function splitSame(text: string): [string, string] {
  const half = (text.length - 1) / 2;
  if (!Number.isInteger(half) || text[half] !== " ") throw new Unreadable("its names don't agree");
  return [text.slice(0, half), text.slice(half + 1)];
}

function withoutPrefix(name: string, prefix: string): GitPath {
  if (!name.startsWith(prefix) || name.length === prefix.length) throw new Unreadable(`a name without ${prefix}`);
  return name.slice(prefix.length);
}
