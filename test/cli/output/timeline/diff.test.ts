import { describe, expect, test } from "vitest";
import { diffCounts, parseDiff, renderDiff } from "../../../../src/cli/output/timeline/diff.ts";
import { testCanvas } from "../../../support/canvas.ts";

const counts = (text: string) => {
  const { added, removed } = parseDiff(text);
  return [added, removed];
};

describe("a diff", () => {
  test("is counted within its hunks, also what looks like a header", () => {
    expect(counts("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n")).toEqual([1, 1]);
    expect(counts("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n")).toEqual([1, 1]);
    expect(counts("")).toEqual([0, 0]);
    expect(counts("no diff at all\n+x\n-y")).toEqual([0, 0]);
  });

  test("of several files has the lines of all, without the headers", () => {
    const text =
      "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\nBinary files a/y and b/y differ\n";
    expect(parseDiff(text).lines).toEqual(["@@ -1 +1 @@", "-a", "+b", "Binary files a/y and b/y differ"]);
  });

  test("is folded where it is long, cut where it is wide, coloured where there is colour", () => {
    const long = parseDiff(`@@ -0,0 +1,50 @@\n${"+line\n".repeat(50)}`);
    expect(renderDiff(long, testCanvas(), 40)).toHaveLength(41);
    expect(renderDiff(long, testCanvas(), 40).at(-1)).toBe("… 11 more lines");
    expect(renderDiff(parseDiff(`@@ -0,0 +1 @@\n+\t${"x".repeat(50)}`), testCanvas(), 20)[1]).toBe(`+    ${"x".repeat(14)}…`);
    expect(renderDiff(parseDiff("@@ -1 +1 @@\n-a\n+b"), testCanvas({ color: true }), 20)).toEqual([
      "\u001b[36m@@ -1 +1 @@\u001b[39m",
      "\u001b[31m-a\u001b[39m",
      "\u001b[32m+b\u001b[39m",
    ]);
    expect(diffCounts(long, testCanvas({ unicode: false })).map(({ text }) => text)).toEqual([" +50", " -0"]);
  });
});
