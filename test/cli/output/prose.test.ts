import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeFailure } from "../../../src/cli/output/failure.ts";
import { wrapProse } from "../../../src/cli/output/prose.ts";
import { FerryError } from "../../../src/base/errors.ts";

const terminal = (columns: number) => ({ isTTY: true, columns });

describe("prose on a terminal", () => {
  test("is broken between words, and goes on two columns in", async () => {
    expect(await wrapProse("enter the code KXMX-HWKN and this computer is logged in", terminal(30))).toBe(
      "enter the code KXMX-HWKN and\n  this computer is logged in",
    );
  });

  test("keeps a longer word and a quoted command whole", async () => {
    const path = `/home/me/${"x".repeat(40)}/credentials.json`;
    expect(await wrapProse(`the key is in ${path} now`, terminal(40))).toBe(`the key is in\n  ${path}\n  now`);
    expect(await wrapProse('log in again with "ferry login --scopes all:all"', terminal(40))).toBe(
      'log in again with\n  "ferry login --scopes all:all"',
    );
  });

  test.each([
    ["resolve it there (ferry pull --park) or here", ["resolve it there", "  (ferry pull --park) or here"]],
    [
      "end it: ferry service stop --data /srv/ferry; then again",
      ["end it:", "  ferry service stop --data /srv/ferry;", "  then again"],
    ],
    [
      'have it done (ferry say "one; two (or 3), four"), or wait',
      ["have it done", '  (ferry say "one; two (or 3), four"),', "  or wait"],
    ],
    ["get it with npm install -g @acme/agent", ["get it with", "  npm install -g @acme/agent"]],
    ["say `apt install podman`, or start docker", ["say `apt install podman`, or", "  start docker"]],
  ])("keeps a command whole that isn't quoted: %s", async (line, lines) => {
    expect(await wrapProse(line, terminal(32))).toBe(lines.join("\n"));
  });

  test("leaves it to the terminal to break a command that is wider", async () => {
    const line = `the commits: ferry patch --session 4h2k --output-directory ${"x".repeat(20)} and more`;
    expect(await wrapProse(line, terminal(40))).toBe(line.replace(": ", ":\n  "));
  });

  test("of an error keeps its hint indented", async () => {
    const error = new FerryError("usage", "this goes on for quite a while", { hint: "and so does this one, for long" });
    expect(await wrapProse(await describeFailure(error, false), terminal(26))).toBe(
      "ferry: this goes on for\n  quite a while\n  hint: and so does this\n    one, for long\n",
    );
  });

  test("is not touched in a pipe", async () => {
    const line = "word ".repeat(40);
    expect(await wrapProse(line, { isTTY: false, columns: 20 })).toBe(line);
  });

  test("loses nothing, and is wider than the terminal only by a word", async () => {
    const words = fc.array(fc.stringMatching(/^[a-z0-9é漢]{1,30}$/u), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 22, max: 100 }), async (all, columns) => {
        const lines = (await wrapProse(all.join(" "), terminal(columns))).split("\n");
        expect(lines.map((line) => line.trim()).join(" ")).toBe(all.join(" "));
        for (const line of lines) expect(line.length <= columns || !line.trim().includes(" ")).toBe(true);
      }),
    );
  });
});
