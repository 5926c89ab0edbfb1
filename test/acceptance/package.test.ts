import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeBinary } from "../support/binary.ts";
import type { Binary } from "../support/binary.ts";

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const packed = inject("packed");
let folder: string;
let binary: Binary;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ferry-package-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "alone", version: "1.0.0", private: true }));
  const install = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", packed.tarball];
  await promisify(execFile)("npm", install, { cwd: folder });
  binary = makeBinary(join(folder, "node_modules/ferry/bin/ferry.js"));
}, 120_000);

afterAll(async () => {
  await binary.dispose();
  await rm(folder, { recursive: true, force: true });
});

test("the package installs alone and says its version", async () => {
  expect(await binary.run(["--version"])).toEqual({ code: 0, stdout: `ferry ${(await manifest()).version}\n`, stderr: "" });
});

test("git finds it as a subcommand", async () => {
  const env = { ...binary.env, PATH: `${join(folder, "node_modules/.bin")}:${binary.env["PATH"] ?? ""}` };
  const { stdout } = await promisify(execFile)("git", ["ferry", "--version"], { cwd: folder, env });
  expect(stdout).toBe(`ferry ${(await manifest()).version}\n`);
});

test("it brings nothing but native modules, and they load", async () => {
  const names = Object.keys((await manifest()).dependencies);
  expect(names.toSorted()).toEqual(["@napi-rs/keyring", "libsql"]);
  const program = names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: join(folder, "node_modules/ferry"),
  });
});

test("it ships no sources, tests or source maps", async () => {
  const paths = await readdir(packed.folder, { recursive: true });
  expect(paths.filter((path) => /\.(ts|map)$|^(src|test)(\/|$)/.test(path))).toEqual([]);
  expect(paths).toEqual(
    expect.arrayContaining(["bin/ferry.js", "bin/git-ferry.js", "dist/start.js", "dist/core.js", "README.md", "LICENSE"]),
  );
});

test("publint has nothing to say", async () => {
  const { messages } = await publint({ pkgDir: packed.folder, pack: false, strict: true });
  expect(messages).toEqual([]);
});

async function manifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(packed.folder, "package.json"), "utf8")) as Manifest;
}
