import { describe, expect, test } from "vitest";
import { hasBlock, hookNames, isShellScript, withBlock, withoutBlock } from "../../../src/cli/commands/hook/block.ts";

describe.each(hookNames)("ferry's block in %s", (name) => {
  test.each(["#!/bin/sh\necho mine\n", "#!/usr/bin/env bash\nset -e\nexit 0\n", "#!/bin/sh\n# >>> conda\n# <<< conda\n"])(
    "goes in first and comes out again: %j",
    (script) => {
      const both = withBlock(script, name);
      expect(hasBlock(both)).toBe(true);
      expect(both.split("\n")[0]).toBe(script.split("\n")[0]);
      expect(both.indexOf("ferry hook run")).toBeLessThan(both.indexOf(script.split("\n")[1] ?? ""));
      expect(withBlock(both, name)).toBe(both);
      expect(withoutBlock(both)).toBe(script);
    },
  );

  test("of its own, nothing is left of it", () => {
    expect(withoutBlock(withBlock(undefined, name))).toBe("");
  });
});

test.each([
  ["#!/bin/sh\n", true],
  ["#!/usr/bin/env sh\n", true],
  ["#!/bin/bash -e\n", true],
  ["#!/bin/sh -eu\n", true],
  ["#!/bin/sh -n\n", false],
  ["#!/usr/bin/env python3\n", false],
  ["#!/usr/bin/env fish\n", false],
  ["echo no shebang\n", false],
  ["\u007fELF", false],
])("%j is a shell script: %j", (text, expected) => {
  expect(isShellScript(text)).toBe(expected);
});
