import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pack, unpack } from "../../../src/service/sandbox/environment.ts";

/** The environment that a shell has after it took the packed one. */
function throughShell(env: Record<string, string>, before: Record<string, string> = {}): Record<string, string> {
  const script = `${unpack(["WAY_IN"])}; exec env -0`;
  const output = execFileSync("/bin/sh", ["-c", script], {
    env: { PATH: "/usr/bin:/bin", ...before, ...pack(env) },
    encoding: "utf8",
  });
  return Object.fromEntries(
    output.split("\0").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

test("every value arrives as it was, whatever it says to a shell", () => {
  const value = fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", "a", "ü", ";", "(", "!", "*"),
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      const env = Object.fromEntries(values.map((text, index) => [`V${index}`, text]));
      expect(throughShell(env)).toMatchObject(env);
    }),
    { numRuns: 40 },
  );
});

test("nothing of the way in is left", () => {
  expect(Object.keys(throughShell({ A: "1" }, { WAY_IN: "x" })).filter((name) => /FERRY|WAY/.test(name))).toEqual([]);
});

test.each(["", "A B", "A=B", "1A", "A;id", "A\nB", "$(id)", "ü"])("a name that a shell can't export is refused: %j", (name) => {
  expect(() => pack({ [name]: "x" })).toThrow(/is no name of an environment variable/);
});
