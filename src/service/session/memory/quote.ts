import { harmless } from "../../../base/text.ts";

/**
 * Untrusted text as a block that it can't end by itself: the fence is longer than any run of backticks in it. What is left out of the
 * middle is told.
 */
export function quote(text: string, limit: number): string {
  const shown = harmless(shorten(text.trim(), limit));
  const longest = Math.max(2, ...Array.from(shown.matchAll(/`+/gu), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/** The beginning says what it is about, the end what came of it. */
function shorten(text: string, limit: number): string {
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = characters.length - 2 * half;
  return `${characters.slice(0, half).join("")}\n[${left} characters are left out here]\n${characters.slice(-half).join("")}`;
}
