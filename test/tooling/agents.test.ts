import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("the suite of the real agents is theirs alone, whatever `npm test` is made of", () => {
  const argv = ["node_modules/vitest/vitest.mjs", "list", "--filesOnly", "-c", "test/agents/vitest.config.ts"];
  const files = execFileSync(process.execPath, argv, { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(files.filter((file) => !/^test\/agents\/[a-z]+\.agents\.ts$/u.test(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(1);
});
