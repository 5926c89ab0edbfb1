import stringWidth from "string-width";

/** How many columns of a terminal the text takes: wide characters two, combining ones none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** What a reader takes for characters. The tables for it are loaded with the first text that needs them: that takes 10 ms. */
export function* characters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

let segmenter: Intl.Segmenter | undefined;

/** The text in at most `width` columns, with an ellipsis where something was cut; never cut within a character. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = "";
  let left = width - 1;
  for (const segment of characters(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return width < 1 ? "" : `${taken}…`;
}

/** The text filled up with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
