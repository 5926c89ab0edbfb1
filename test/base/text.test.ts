import { expect, test } from "vitest";
import { harmless, harmlessJson } from "../../src/base/text.ts";

test.each([
  ["a soft hyphen", "pay\u00adpal", "pay<U+00AD>pal"],
  ["a filler that looks like nothing", "a\u3164.js", "a<U+3164>.js"],
  ["a joiner in a name", "ev\u200dil", "ev<U+200D>il"],
  ["a joiner at an end", "\u200cab\u200d", "<U+200C>ab<U+200D>"],
  ["joiners in a row", "می\u200c\u200cخ", "می\u200c<U+200C>خ"],
  ["an annotation", "a\ufff9b\ufffac", "a<U+FFF9>b<U+FFFA>c"],
  ["half a character", "a\ud800b\udc00", "a\ufffdb\ufffd"],
  ["a cursor moved", "\u001b[2J\u009b31m", "␛[2J<U+009B>31m"],
])("%s is seen", (_what, text, seen) => {
  expect(harmless(text)).toBe(seen);
  expect(JSON.parse(harmlessJson(JSON.stringify(text)))).toBe(text);
});

test.each(["می‌خواهم", "👨‍👩‍👧", "ක්‍ර", "❤️", "e\u0301", "日本語", "tab\tand\nline"])("%s stays as it is", (text) => {
  expect(harmless(text)).toBe(text);
});
