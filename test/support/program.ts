import { build } from "esbuild";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A TypeScript file of the tests as a program that a plain Node runs; it lies where it finds the packages. */
export interface Program {
  readonly path: string;
  remove(): Promise<void>;
}

/** `source` is relative to `test/`. */
export async function makeProgram(source: string): Promise<Program> {
  const cache = fileURLToPath(new URL("../../node_modules/.cache/ferry-tests", import.meta.url));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "program-"));
  const path = join(folder, "program.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL(`../${source}`, import.meta.url))],
    outfile: path,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
