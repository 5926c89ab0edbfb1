import { expect, test } from "vitest";
import { harmless, harmlessJson } from "../../src/base/text.ts";

test.each([
  ["a soft hyphen", "pay\u00adpal", "pay<U+00AD>pal"],
  ["a filler that looks like nothing", "a\u3164.js", "a<U+3164>.js"],
  ["a joiner in a name", "ev\u200dil", "ev<U+200D>il"],
  ["a joiner at an end", "\u200cab\u200d", "<U+200C>ab<U+200D>"],
  ["joiners in a row", "می\u200c\u200cخ", "می<U+200C><U+200C>خ"],
  ["a joiner between what hides", "\u200b\u200d\u200b", "<U+200B><U+200D><U+200B>"],
  ["a joiner beside a control", "é\u200d\u0085é", "é<U+200D><U+0085>é"],
  ["a variation selector in a name", "a\ufe00b\ufe0f.js", "a<U+FE00>b<U+FE0F>.js"],
  ["what variation selectors smuggle", "❤\ufe0f\ufe0f\u{e0101}", "❤\ufe0f<U+FE0F><U+E0101>"],
  ["a joiner behind a selector that isn't an emoji's", "a\ufe0f\u200d🔥", "a<U+FE0F><U+200D>🔥"],
  ["a shorthand control", "a\u{1bca0}b", "a<U+1BCA0>b"],
  ["braille's blank", "a\u2800b\u2800\u2800", "a<U+2800>b<U+2800><U+2800>"],
  ["an annotation", "a\ufff9b\ufffac", "a<U+FFF9>b<U+FFFA>c"],
  ["half a character", "a\ud800b\udc00", "a\ufffdb\ufffd"],
  ["a cursor moved", "\u001b[2J\u009b31m", "␛[2J<U+009B>31m"],
])("%s is seen", (_what, text, seen) => {
  expect(harmless(text)).toBe(seen);
  expect(JSON.parse(harmlessJson(JSON.stringify(text)))).toBe(text);
});

test.each(["می‌خواهم", "👨‍👩‍👧", "ක්‍ර", "❤️", "❤️‍🔥", "☺︎", "1️⃣", "⣿⠀⣿", "e\u0301", "日本語", "tab\tand\nline"])(
  "%s stays as it is",
  (text) => {
    expect(harmless(text)).toBe(text);
  },
);
