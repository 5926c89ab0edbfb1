import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** An npm package, as it lies in a `node_modules`. */
export interface Package {
  readonly path: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly dependencies: readonly string[];
}

/** The package that a file belongs to; undefined where it lies in no `node_modules`. */
export async function packageOf(file: string): Promise<Package | undefined> {
  // The innermost: `…/node_modules/<name>` or `…/node_modules/@<scope>/<name>`.
  const [, path, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//u.exec(file) ?? [];
  if (path === undefined || name === undefined) return undefined;
  const text = await readFile(join(path, "package.json"), "utf8").catch(() => "{}");
  const said = parsed(text);
  const dependencies = typeof said["dependencies"] === "object" && said["dependencies"] !== null ? said["dependencies"] : {};
  const version = typeof said["version"] === "string" ? said["version"] : undefined;
  return { path, name, version, dependencies: Object.keys(dependencies) };
}

/**
 * What must be seen inside for the package to run: itself where all that it depends on lies in it (as npm installs globally), else
 * the outermost `node_modules` around it.
 * @param target the folder inside under which it comes; folders keep their names, since Node looks for `node_modules` by name
 */
export async function treeOf(found: Package, target: string): Promise<{ path: string; target: string }> {
  const inner = await Promise.all(found.dependencies.map((name) => isThere(join(found.path, "node_modules", name))));
  if (inner.every(Boolean)) return { path: found.path, target: join(target, "node_modules", found.name) };
  const [outermost = dirname(found.path)] = /^.*?\/node_modules(?=\/)/u.exec(found.path) ?? [];
  return { path: outermost, target: join(target, "node_modules") };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    // A damaged package says nothing of itself; whether it runs is seen when it does.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
