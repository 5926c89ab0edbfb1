import { ESLint } from "eslint";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

/** What touches the outside world, by the rule that says so. */
const breaches: readonly (readonly [code: string, rule: string])[] = [
  ["export const pid = process.pid;", "no-restricted-globals"],
  ["export const later = (call: () => void) => setTimeout(call, 1);", "no-restricted-globals"],
  [`export const answer = fetch("https://example.com");`, "no-restricted-globals"],
  [`console.log("hi");`, "no-restricted-globals"],
  ["export const now = Date.now();", "no-restricted-properties"],
  ["export const chance = Math.random();", "no-restricted-properties"],
  ["export const today = new Date();", "no-restricted-syntax"],
  [`import { randomBytes } from "node:crypto"; export { randomBytes };`, "no-restricted-imports"],
];
/** What is wrong wherever it stands. */
const everywhere: readonly (readonly [code: string, rule: string])[] = [
  ["export default 1;", "no-restricted-syntax"],
  ["export const many = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e];", "max-params"],
  ["Promise.resolve();", "@typescript-eslint/no-floating-promises"],
  ["export const first = (list: string[]) => list[0]!;", "@typescript-eslint/no-non-null-assertion"],
  [
    `export function say(it: "a" | "b") { switch (it) { case "a": return 1; } return 2; }`,
    "@typescript-eslint/switch-exhaustiveness-check",
  ],
];

const root = fileURLToPath(new URL("../..", import.meta.url));
let eslint: ESLint;

beforeAll(async () => {
  eslint = new ESLint({ cwd: root, overrideConfigFile: "test/eslint.config.js" });
  // The first run loads the whole project's types.
  await rulesBroken("src/base/text.ts", "export {};");
}, 60_000);

describe("in the core", () => {
  test.each([...breaches, ...everywhere])("%s", async (code, rule) => {
    expect(await rulesBroken("src/base/text.ts", code)).toContain(rule);
  });
});

describe("in the host", () => {
  test.each(breaches)("%s is right there", async (code, rule) => {
    expect(await rulesBroken("src/host/clock.ts", code)).not.toContain(rule);
  });

  test.each(everywhere)("%s", async (code, rule) => {
    expect(await rulesBroken("src/host/clock.ts", code)).toContain(rule);
  });
});

test("the message says what to use instead", async () => {
  const [result] = await eslint.lintText("export const now = Date.now();\n", { filePath: "src/base/text.ts" });
  expect(result?.messages.map(({ message }) => message).join("\n")).toContain("host.clock.now()");
});

/** The rules that the code breaks where it stands in for that file. */
async function rulesBroken(filePath: string, code: string): Promise<(string | null)[]> {
  const results = await eslint.lintText(`${code}\n`, { filePath });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
}
