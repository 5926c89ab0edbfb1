import { expect, test } from "vitest";
import { tellMissing } from "../../../src/cli/flows/place/base.ts";

const url = "https://agents.example.com";

test.each([
  ["local", 0, 0, undefined],
  ["local", 0, 1, "1 file uncommitted (commit first to have it there)"],
  // It was told to start from another branch.
  ["local", 2, 1, "2 commits, 1 file uncommitted"],
  [url, 1, 0, "1 commit not pushed (push first to have it there)"],
  [url, 3, 0, "3 commits not pushed (push first to have them there)"],
  [url, 0, 2, "2 files uncommitted (commit and push first to have them there)"],
  [url, 1, 2, "1 commit not pushed, 2 files uncommitted (commit and push first to have them there)"],
])("not in the sandbox of %s: %i commits, %i files", (host, commits, files, told) => {
  expect(tellMissing({ commits, files }, host)).toBe(told && `not in the sandbox: ${told}`);
});
