import stringWidth from "string-width";

/** How many columns of a terminal the text takes: wide characters two, combining ones none. */
export function widthOf(text: string): number {
  if (text.length <= atOnce) return stringWidth(text);
  let width = 0;
  for (const character of characters(text.replace(/\u001b\[[\d;]*m/gu, ""))) width += widthOfCharacter(character);
  return width;
}

/** Columns of one character; the same few come again and again, and finding out takes some microseconds. */
export function widthOfCharacter(character: string): number {
  if (character.length === 1 && character >= " " && character <= "~") return 1;
  const known = widths.get(character);
  if (known !== undefined) return known;
  const width = stringWidth(character);
  if (widths.size >= mostKnown) widths.clear();
  widths.set(character, width);
  return width;
}

const widths = new Map<string, number>();
const mostKnown = 4096;

/**
 * What a reader takes for characters. The tables for it are loaded with the first text that needs them: that takes 10 ms.
 * ICU's segmenter takes the square of a text's length, so it is given short parts; the last character of a part may go on in the
 * next one. One that is longer than a part is cut: there is no such character.
 */
export function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (let start = 0; start < text.length;) {
    const part = text.slice(start, endOf(text, start + atOnce));
    const isLast = start + part.length === text.length;
    let at = 0;
    for (const { segment } of segmenter.segment(part)) {
      if (!isLast && at > 0 && at + segment.length === part.length) break;
      yield segment;
      at += segment.length;
    }
    start += at;
  }
}

let segmenter: Intl.Segmenter | undefined;
/** So many units are segmented at once. */
const atOnce = 128;

/** The place to cut at, not between the halves of a code point. */
function endOf(text: string, at: number): number {
  return at < text.length && /^[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;
}

/** The text in at most `width` columns, with an ellipsis where something was cut; never cut within a character. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = "";
  let left = width - 1;
  for (const segment of characters(text)) {
    left -= widthOfCharacter(segment);
    if (left < 0) break;
    taken += segment;
  }
  return width < 1 ? "" : `${taken}…`;
}

/** The text filled up with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
