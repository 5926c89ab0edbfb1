import type { Paint, Style } from "../style.ts";
import type { Span } from "./spans.ts";

/** The bounds keep a line of a million unpaired marks from costing its square. */
const marks =
  /(?<!`)(`{1,99})(?!`)(.{1,400}?)(?<!`)\1(?!`)|(\*\*|__)(?=\S)(.{0,400}?\S)\3|~~(?=\S)(.{0,400}?\S)~~|(?<![\w*])\*(?=[^\s*])(.{0,400}?[^\s*])\*(?!\*)|(?<!\w)_(?=[^\s_])(.{0,400}?[^\s_])_(?!\w)|!?\[([^\]]{1,400})\]\(([^()\s]{1,1000})\)/gu;

/** Code, emphasis and links within a line. A link's address is kept: it can't be clicked on here, but it can be copied. */
export function inline(text: string, style: Style): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, , code, , strong, struck, star, underscore, label, address] = match;
    if (match.index > at) spans.push({ text: text.slice(at, match.index) });
    at = match.index + whole.length;
    if (code !== undefined) spans.push({ text: code.trim() === "" ? code : code.replace(/^ (.*) $/, "$1"), paint: style.cyan });
    else if (strong !== undefined) spans.push(...within(strong, style, style.bold));
    else if (struck !== undefined) spans.push(...within(struck, style, style.strike));
    else if (label !== undefined)
      spans.push(
        ...within(label, style, style.blue),
        ...(label === address ? [] : [{ text: ` (${address ?? ""})`, paint: style.dim }]),
      );
    else spans.push(...within(star ?? underscore ?? "", style, style.italic));
  }
  if (at < text.length) spans.push({ text: text.slice(at) });
  return spans;
}

/** Emphasis holds further emphasis; each level is shorter, so it ends. */
function within(text: string, style: Style, outer: Paint): Span[] {
  return inline(text, style).map(({ text: inner, paint }) => ({
    text: inner,
    paint: paint === undefined ? outer : (shown: string) => outer(paint(shown)),
  }));
}
