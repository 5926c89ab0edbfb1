import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";

/** So many letters at the least begin a word that can be guessed. */
const beginning = 3;

const mostSlips = 2;

/**
 * Those of the names that someone who typed `word` can have meant, each once: at most two slips away, and fewer than half of the
 * letters; where none is, those that begin with it, or that it begins with. The dashes of options don't count.
 */
export function nearMisses(word: string, names: readonly string[]): string[] {
  const typed = withoutDashes(word);
  const candidates = [...new Set(names)].map((name) => ({ name, letters: withoutDashes(name) }));
  const long = Array.from(typed).length;
  const slipped = candidates.filter(({ letters }) => {
    // Each letter more or less is a slip; of a whole file that was given for a word nothing is counted.
    if (Math.abs(long - Array.from(letters).length) > mostSlips) return false;
    const slips = countSlips(typed, letters);
    return slips <= mostSlips && slips < Math.min(typed.length, letters.length) / 2;
  });
  const begun = candidates.filter(
    ({ letters }) =>
      Math.min(typed.length, letters.length) >= beginning && (letters.startsWith(typed) || typed.startsWith(letters)),
  );
  return (slipped.length > 0 ? slipped : begun).map(({ name }) => name);
}

function withoutDashes(word: string): string {
  return word.replace(/^-+/u, "");
}

/**
 * For values that another service may have more of than we know: `known` are ours and those in its data.
 * `otherwise` helps where none of them can have been meant.
 * @throws FerryError usage for one of `given` that is none of them, with those that are
 */
export function checkKnown(
  what: { one: string; many: string },
  given: readonly string[],
  known: readonly string[],
  otherwise?: string,
): void {
  const unknown = given.filter((value) => !known.includes(value));
  if (unknown.length === 0) return;
  const near = unknown.flatMap((value) => nearMisses(value, known));
  throw new FerryError("usage", `there is no ${what.one} ${oneLine(unknown.join(", "))}`, {
    details: [`the ${what.many} are ${[...new Set(known)].join(", ")}`],
    hint: near.length === 0 ? otherwise : `did you mean ${near.join(" or ")}?`,
  });
}

/** The distance of two words by optimal string alignment: letters put in, left out, replaced, or swapped with their neighbour. */
function countSlips(one: string, other: string): number {
  const letters = Array.from(other);
  let [beforeLast, last]: [number[], number[]] = [[], [0, ...letters.map((_, at) => at + 1)]];
  for (const [row, letter] of Array.from(one).entries()) {
    const current = [row + 1];
    for (const [at, wanted] of letters.entries()) {
      const swapped = row > 0 && letter === letters[at - 1] && wanted === one[row - 1];
      const ways = [(current[at] ?? 0) + 1, (last[at + 1] ?? 0) + 1, (last[at] ?? 0) + (letter === wanted ? 0 : 1)];
      current.push(Math.min(...ways, swapped ? (beforeLast[at - 1] ?? 0) + 1 : Infinity));
    }
    [beforeLast, last] = [last, current];
  }
  return last.at(-1) ?? 0;
}
