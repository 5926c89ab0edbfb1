import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The package as it is published, and the same unpacked. */
    packed: { readonly tarball: string; readonly folder: string };
    /** The program of support/pull-child.ts, as Node 20 reads it. */
    pullChild: string;
  }
}

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds dist and packs it, once for a run: the agents' programs and the binary under test are the bundles that users get.
 * The unpacked package lies under node_modules, where it finds the native modules.
 */
export async function setup(project: TestProject): Promise<() => void> {
  forgetSurroundings();
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "ferry-packed-"));
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  project.provide("packed", { tarball: join(folder, tarball), folder: join(folder, "package") });
  const pullChild = join(folder, "pull-child.mjs");
  await bundle(join(root, "test/support/pull-child.ts"), pullChild);
  project.provide("pullChild", pullChild);
  return () => rmSync(folder, { recursive: true, force: true });
}

async function bundle(entry: string, outfile: string): Promise<void> {
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner,
    external: ["execa"],
  });
}

/** Run from a git hook or a shell of someone who uses ferry, the tests would act on what the variables name. */
function forgetSurroundings(): void {
  for (const name of Object.keys(process.env)) if (/^(GIT|FERRY(?!_TEST))_/.test(name)) Reflect.deleteProperty(process.env, name);
}
