import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("the suite of the real agents is theirs alone, whatever `npm test` is made of", () => {
  const argv = ["node_modules/vitest/vitest.mjs", "list", "--filesOnly", "-c", "test/agents/vitest.config.ts"];
  const files = execFileSync(process.execPath, argv, { cwd: root, encoding: "utf8" }).trim().split("\n");
  expect(files.filter((file) => !/^test\/agents\/[a-z]+\.agents\.ts$/u.test(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(1);
});

test("their packages are pinned by content, and from no registry in particular", () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, "test/agents", name), "utf8"));
  const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
  const { packages } = read("package-lock.json") as { packages: Record<string, Record<string, unknown>> };
  const { "": own, ...others } = packages;
  expect(own?.["dependencies"]).toEqual(dependencies);
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
  const entries = Object.entries(others).filter(([, entry]) => entry["inBundle"] !== true);
  expect(entries.filter(([, { integrity }]) => !/^sha512-/u.test(String(integrity))).map(([name]) => name)).toEqual([]);
  expect(entries.filter(([, entry]) => "resolved" in entry).map(([name]) => name)).toEqual([]);
});
