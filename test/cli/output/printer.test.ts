import fc from "fast-check";
import { expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { harmless, harmlessJson } from "../../../src/base/text.ts";
import { failureAsJson } from "../../../src/cli/output/failure.ts";
import { makePrinter } from "../../../src/cli/output/printer.ts";
import { makeFakeTerminal } from "../../support/terminal.ts";

const hostile = "a\u009b2J\u202e\u2066b\u{e0041}\u007f";
const options = { showSecrets: false, quiet: false };

test.each([true, false])(
  "JSON holds nothing that moves or reorders a terminal, and is the same JSON (terminal: %s)",
  async (tty) => {
    const terminal = makeFakeTerminal({ tty });
    const printer = makePrinter(terminal, options);
    await printer.json({ [hostile]: hostile });
    await printer.jsonLine([hostile]);
    const { stdout } = terminal.written;
    expect(stdout).toBe(harmless(stdout));
    expect(stdout).toContain("a\\u009b2J\\u202e\\u2066b\\udb40\\udc41\\u007f");
    const [line = ""] = stdout.split("\n").filter(Boolean).slice(-1);
    expect(JSON.parse(stdout.slice(0, -line.length - 1))).toEqual({ [hostile]: hostile });
    expect(JSON.parse(line)).toEqual([hostile]);
  },
);

test("any value stays what it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.parse(harmlessJson(json))).toEqual(JSON.parse(json));
    }),
  );
});

test("an error in JSON is as harmless", () => {
  const text = failureAsJson(new FerryError("failure", hostile));
  expect(text).toBe(harmless(text));
  expect(JSON.parse(text)).toMatchObject({ error: { message: hostile } });
});

test("strings of --jq come as they are into a pipe, and harmless onto a terminal", async () => {
  for (const [tty, shown] of [
    [false, `${hostile}\n`],
    [true, harmless(`${hostile}\n`)],
  ] as const) {
    const terminal = makeFakeTerminal({ tty });
    await makePrinter(terminal, { ...options, jq: ".[0]" }).json([hostile]);
    expect(terminal.written.stdout).toBe(shown);
  }
});
