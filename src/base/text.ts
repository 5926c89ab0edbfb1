/**
 * Characters that move the cursor, recolour, retitle or reorder a terminal, or can't be seen: C0 (but tab and newline), DEL, C1, what
 * Unicode has shown as nothing (Default_Ignorable_Code_Point: zero-width marks, bidi controls, fillers, variation selectors, tags),
 * line and paragraph separators, annotations, half characters (lone surrogates).
 */
const unseen = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\ud800-\udfff`;

/** The same, but for the marks that belong beside some characters, and hide anywhere else. */
const harmful = new RegExp(
  [
    // U+FE0E and U+FE0F tell an emoji's look; of ASCII only keycaps have one.
    String.raw`(?<!(?![\0-\x7f])\p{Emoji})[\ufe0e\ufe0f](?<![0-9#*]\ufe0f(?=\u20e3))`,
    // Joiners belong between two characters of scripts and emoji that need them.
    String.raw`(?<![^\x00-\x7f${unseen}]\ufe0f?)[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f${unseen}])`,
    // The blank of braille, beside its dots.
    String.raw`(?<![\u2801-\u28ff])\u2800(?![\u2801-\u28ff])`,
    String.raw`(?![\u200c\u200d\ufe0e\ufe0f])[${unseen}]`,
  ].join("|"),
  "gu",
);

/** Untrusted text made harmless for a terminal: each harmful character becomes a visible stand-in, all else stays. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(harmful, standIn);
}

/** The same on one line: newlines and tabs become a space, runs of blanks one. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s+/gu, " ").trim();
}

/**
 * JSON with every harmful character as its escape (RFC 8259, 7), so that it can be looked at: the same value to who parses it.
 * `json` holds no such character outside of its strings.
 */
export function harmlessJson(json: string): string {
  return json.replace(harmful, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/**
 * JSON in which each lone half of a character, which is none (RFC 8259, 8.2) and which other programs refuse, is U+FFFD: only an
 * escape can say one.
 */
export function wellFormedJson(json: string): string {
  return /\\ud[89a-f]/iu.test(json) ? json.replace(escapes, (escape) => (lone.test(escape) ? "\ufffd" : escape)) : json;
}

/** A pair, or any one. */
const escapes = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u[\da-f]{4}|\\./giu;
const lone = /^\\ud[89a-f][\da-f]{2}$/iu;

/** C0 has pictures of its own (U+2400 on), half a character is written as U+FFFD in any case; the rest is written as its code point. */
function standIn(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** The first `length` characters (code points), with an ellipsis where something was cut. */
export function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, Math.max(0, length - 1)).join("")}…`;
}

/** What stands where a text should, as a text: a service may send a number there, nothing, or worse. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** What stands where a list of texts should, as one: what is no list is one of itself, and what says nothing isn't in it. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(textOf).filter(Boolean);
}

/** `1 commit`, `2 commits`: a count with its noun. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}
