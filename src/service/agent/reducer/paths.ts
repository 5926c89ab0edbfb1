import { posix } from "node:path";

/** A path as the timeline has it: relative to the repository, "." for its root; one outside of it as it is. */
export function relativePath(path: string, cwd: string): string {
  const absolute = posix.resolve(cwd, path);
  const relative = posix.relative(cwd, absolute);
  if (relative === "") return ".";
  return relative.startsWith("../") || relative === ".." ? absolute : relative;
}
