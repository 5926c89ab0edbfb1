import type { Paint, Style } from "../style.ts";
import type { Span } from "./spans.ts";

/** The bounds keep a line of a million unpaired marks from costing its square. */
const marks =
  /(?<!`)(`{1,99})(?!`)(.{1,400}?)(?<!`)\1(?!`)|(\*\*|__)(?=\S)(.{0,400}?\S)\3|~~(?=\S)(.{0,400}?\S)~~|(?<![\w*])\*(?=[^\s*])(.{0,400}?[^\s*])\*(?!\*)|(?<!\w)_(?=[^\s_])(.{0,400}?[^\s_])_(?!\w)|!?\[([^\]]{1,400})\]\(([^()\s]{1,1000})\)/gu;

/** Code, emphasis and links within a line. A link's address is kept: it can't be clicked on here, but it can be copied. */
export function inline(text: string, style: Style): Span[] {
  return [...looks(text, style, 0)];
}

/** Emphasis in emphasis, and so on, is shown so deep: each level's marks are written around all that is in it. */
const deepest = 4;

function* looks(text: string, style: Style, depth: number): Generator<Span> {
  const inner = (part: string, outer: Paint): Iterable<Span> => within(part, style, outer, depth + 1);
  let at = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, , code, , strong, struck, star, underscore, label, address] = match;
    if (match.index > at) yield { text: text.slice(at, match.index) };
    at = match.index + whole.length;
    if (code !== undefined) yield { text: code.trim() === "" ? code : code.replace(/^ (.*) $/, "$1"), paint: style.cyan };
    else if (strong !== undefined) yield* inner(strong, style.bold);
    else if (struck !== undefined) yield* inner(struck, style.strike);
    else if (label !== undefined) {
      yield* inner(label, style.blue);
      if (label !== address) yield { text: ` (${address ?? ""})`, paint: style.dim };
    } else yield* inner(star ?? underscore ?? "", style.italic);
  }
  if (at < text.length) yield { text: text.slice(at) };
}

/** Emphasis holds further emphasis. */
function* within(text: string, style: Style, outer: Paint, depth: number): Generator<Span> {
  if (depth >= deepest) {
    yield { text, paint: outer };
    return;
  }
  for (const { text: shown, paint } of looks(text, style, depth))
    yield { text: shown, paint: paint === undefined ? outer : (inner: string) => outer(paint(inner)) };
}
