import { cruise } from "dependency-cruiser";
import type { ICruiseResult, IFlattenedRuleSet } from "dependency-cruiser";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** For each rule a file and what it must not load. */
const breaches: readonly (readonly [rule: string, file: string, loads: string])[] = [
  ["no-circular", "src/git/chicken.ts", "./egg.ts"],
  ["base-imports", "src/base/up.ts", "../wire/innocent.ts"],
  ["wire-imports", "src/wire/up.ts", "../client/innocent.ts"],
  ["client-imports", "src/client/up.ts", "../auth/innocent.ts"],
  ["host-imports", "src/host/up.ts", "../wire/innocent.ts"],
  ["git-imports", "src/git/up.ts", "../patch/innocent.ts"],
  ["patch-imports", "src/patch/up.ts", "../client/innocent.ts"],
  ["auth-imports", "src/auth/up.ts", "../cli/innocent.ts"],
  ["service-imports", "src/service/up.ts", "../client/innocent.ts"],
  ["cli-without-service", "src/cli/output/service.ts", "dynamic ../../service/innocent.ts"],
  ["service-loaded-lazily", "src/cli/flows/eager.ts", "../../service/innocent.ts"],
  ["host-by-interface", "src/cli/adapter.ts", "../host/innocent.ts"],
  ["interface-is-bare", "src/host/host.ts", "./innocent.ts"],
  ["nobody-imports-main", "src/cli/main.ts", "../main.ts"],
  ["nouns-are-islands", "src/cli/commands/session/view.ts", "../repo/innocent.ts"],
  ["drivers-are-islands", "src/service/sandbox/drivers/bwrap.ts", "./innocent.ts"],
  ["one-home-for-commander", "src/auth/flags.ts", "commander"],
  ["one-home-for-zod", "src/cli/schema.ts", "zod"],
  ["one-home-for-oauth", "src/service/token.ts", "oauth4webapi"],
  ["one-home-for-hono", "src/wire/router.ts", "hono"],
  ["one-home-for-terminal-and-net", "src/cli/spin.ts", "ora"],
  ["one-home-for-chalk", "src/client/colour.ts", "chalk"],
  ["one-home-for-processes", "src/service/session/spawn.ts", "execa"],
  ["one-home-for-git", "src/patch/porcelain.ts", "simple-git"],
  ["one-home-for-sql", "src/service/session/query.ts", "kysely"],
  ["one-home-for-jq", "src/client/filter.ts", "jq-wasm"],
  ["one-home-for-acp", "src/service/session/agent.ts", "@agentclientprotocol/sdk"],
  ["no-io-outside-edges", "src/cli/files.ts", "node:fs"],
  ["git-and-patch-io", "src/patch/network.ts", "node:http"],
  ["service-io-at-its-edges", "src/service/session/files.ts", "node:fs/promises"],
  ["src-never-imports-test", "src/git/fake.ts", "../../test/support/innocent.ts"],
  ["no-unresolved", "src/git/gone.ts", "./gone-too.ts"],
];

const packages = [
  "commander",
  "zod",
  "oauth4webapi",
  "hono",
  "ora",
  "chalk",
  "execa",
  "simple-git",
  "kysely",
  "jq-wasm",
  "@agentclientprotocol/sdk",
];

let folder: string;
let rules: IFlattenedRuleSet;
let violations: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-import-rules-"));
  rules = await readRules();
  await Promise.all(breaches.map(([, file, loads]) => writeBreach(file, loads)));
  await Promise.all(packages.map(writePackage));
  await write("src/git/egg.ts", `import "./chicken.ts";`);
  await write("src/main.ts", "export {};");
  violations = await cruiseFolder();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("each rule has a breach here", () => {
  expect(new Set(breaches.map(([rule]) => rule))).toEqual(new Set(rules.forbidden?.map(({ name }) => name)));
});

describe("a breach is caught, and by no other rule than its own", () => {
  test.each(breaches)("%s: %s loads %s", (rule, file) => {
    expect(violations.get(file)).toEqual([rule]);
  });
});

test("an innocent file breaks no rule", () => {
  expect([...violations.keys()].toSorted()).toEqual(breaches.map(([, file]) => file).toSorted());
});

async function readRules(): Promise<IFlattenedRuleSet> {
  // A plain module for dependency-cruiser's own command, so it has no types; a variable keeps the compiler from looking.
  const address = new URL("import-rules.mjs", import.meta.url).href;
  const module = (await import(address)) as { default: IFlattenedRuleSet };
  return module.default;
}

async function writeBreach(file: string, loads: string): Promise<void> {
  const [target, dynamic] = loads.startsWith("dynamic ") ? [loads.slice("dynamic ".length), true] : [loads, false];
  await write(file, dynamic ? `export const later = import("${target}");` : `import "${target}";`);
  if (target.endsWith("innocent.ts")) await write(join(dirname(file), target), "export {};");
}

async function writePackage(name: string): Promise<void> {
  await write(
    `node_modules/${name}/package.json`,
    JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js" }),
  );
  await write(`node_modules/${name}/index.js`, "export {};");
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), `${text}\n`);
}

/** The names of the rules that each file breaks. */
async function cruiseFolder(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await cruise(["src"], {
    baseDir: folder,
    validate: true,
    ruleSet: rules,
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
  });
  const found = new Map<string, string[]>();
  for (const { from, rule } of (output as ICruiseResult).summary.violations) {
    found.set(from, [...(found.get(from) ?? []), rule.name]);
  }
  return found;
}
