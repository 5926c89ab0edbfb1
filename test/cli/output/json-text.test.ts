import fc from "fast-check";
import { expect, test } from "vitest";
import { redact, redactedText } from "../../../src/cli/output/json.ts";
import { onOneLine } from "../../../src/cli/output/json-text.ts";

test("JSON however it is spaced says the same on one line, with the same secrets replaced", () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("token", "secret", "a\\", 'to"ken', "a:b"));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.constantFrom("token", "", ' : "x', "\\"),
      fc.double(),
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("any"), { maxLength: 4 }),
    object: fc.dictionary(name, tie("any"), { maxKeys: 4 }),
  })).any;
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1, "\t"), (given, space) => {
      const json = JSON.stringify(given, undefined, space);
      expect(onOneLine(json, redactedText)).toBe(JSON.stringify(redact(JSON.parse(json))));
      expect(onOneLine(json, (_, text) => text)).toBe(JSON.stringify(given));
    }),
  );
});

test("a name with escapes is the same name", () => {
  expect(onOneLine('{"t\\u006fken": "x", "text": "token"}', redactedText)).toBe('{"t\\u006fken":"<redacted>","text":"token"}');
});
