import { shellWord } from "./words.ts";

/** Crockford's base 32 in lower case: no letter that can be taken for a digit. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** The kinds of things that carry an id, by the prefix that tells them apart. */
export type IdPrefix = "ses" | "evt" | "rep" | "prv" | "key" | "usr" | "wsp" | "sbx" | "ask";

/** An id of 16 random characters (80 bits) behind its kind's prefix, e.g. `ses_4h2k…`. `random(n)` gives n bytes. */
export function makeId(prefix: IdPrefix, random: (size: number) => Uint8Array): string {
  const letters = Array.from(random(16), (byte) => alphabet.charAt(byte & 31));
  return `${prefix}_${letters.join("")}`;
}

/** The part of an id that people type and read: its first eight characters, without the prefix. */
export function shortId(id: string): string {
  return withoutPrefix(id).slice(0, shortest);
}

const shortest = 8;

/**
 * The same of several that stand together, each as long as it takes to tell them all apart: ids of other services may begin with the
 * time, which many share.
 */
export function shortIds(ids: readonly string[]): string[] {
  const all = ids.map(withoutPrefix);
  const longest = all.reduce((most, id) => Math.max(most, id.length), shortest);
  const different = new Set(all).size;
  let length = shortest;
  while (length < longest && new Set(all.map((id) => id.slice(0, length))).size < different) length += 1;
  return all.map((id) => id.slice(0, length));
}

/** What stands for the middle of an id, and may be typed for it. */
const omitted = "…";
const typedOmitted = /^([^…]+?)(?:…|\.\.\.)([^…]*)$/u;
/** So much of an id's end tells it apart, mostly. */
const shortestEnd = 4;

/**
 * The same where there is little room: of ids that are alike for long, or differ at their end alone, the start and the end, which
 * `withIdLike` takes for them.
 */
export function narrowIds(ids: readonly string[]): string[] {
  const short = shortIds(ids);
  const all = ids.map(withoutPrefix);
  const longest = short.reduce((most, id) => Math.max(most, id.length), 0);
  const different = new Set(all).size;
  for (let end = shortestEnd; shortest + 1 + end < longest; end += 1) {
    const narrow = all.map((id) =>
      id.length <= shortest + 1 + end ? id : `${id.slice(0, shortest)}${omitted}${id.slice(-end)}`,
    );
    if (new Set(narrow).size === different) return narrow;
  }
  return short;
}

function withoutPrefix(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

/**
 * An id for a command that is printed to be typed: the short form of one that `makeId` made. Ids of other services stay whole,
 * since theirs may begin with the time, which many share, and are one word of a shell whatever is in them.
 */
export function typedId(id: string): string {
  return /^[a-z]{3}_[0-9a-z]{16}$/u.test(id) ? id.slice(0, 12) : shellWord(id);
}

/** A shorter start of an id names none, as with git's own: one may be typed by a slip, and what it names be deleted. */
export const shortestStart = 4;

/** Whether that is too little to name a thing by the start of its id, without its kind's prefix or with it. */
export function isShortStart(given: string): boolean {
  const [, start = given] = typedOmitted.exec(given) ?? [];
  return start.replace(/^[a-z]{2,8}_/u, "").length < shortestStart;
}

/**
 * Those whose id begins as given (its kind's prefix doesn't count), with or without its prefix, or begins and ends so where `…` or `...` stands between; the one alone
 * whose id is exactly that, if there is one.
 */
export function withIdLike<T extends { readonly id: string }>(things: readonly T[], given: string): T[] {
  const exact = things.filter(({ id }) => id === given);
  if (exact.length > 0 || given === "") return exact;
  const [, start = given, end = ""] = typedOmitted.exec(given) ?? [];
  return things.filter(({ id }) => {
    const bare = withoutPrefix(id);
    const begun = id.startsWith(start) ? start.length - (id.length - bare.length) : bare.startsWith(start) ? start.length : 0;
    return (begun >= shortestStart || start === bare) && id.endsWith(end);
  });
}

/**
 * The same for what can't be undone: only those of whose id as much is given as a table shows at least, of ids that are shorter than that
 * the whole. Several of them may be meant, and none is then.
 */
export function withShownId<T extends { readonly id: string }>(things: readonly T[], given: string): T[] {
  const [, start = given] = typedOmitted.exec(given) ?? [];
  return withIdLike(things, given).filter(({ id }) => withoutPrefix(start).length >= shortId(id).length);
}
