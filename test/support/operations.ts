import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { TestGit } from "./git.ts";

/** Few names, some of them folders of others, so that everything gets in each other's way. */
const path = fc.constantFrom("a", "b", "d", "d/x", "d/y", "d/e/z", "e", "e/f", "ü", "s p");
const content = fc.oneof(
  fc.array(fc.constantFrom("1\n", "2\n", "3\r\n", "four\n", "no end"), { maxLength: 12 }).map((lines) => lines.join("")),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
/** What somebody does to a file. */
export const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("write" as const), path, content, executable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("link" as const), path, target: fc.constantFrom("a", "d", "nowhere", "./b") }),
  },
);
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
/** Does it, whatever is in its way. */
export function act(git: TestGit, one: Operation): void {
  const at = join(git.folder, one.path);
  if (one.kind !== "remove") clearWay(git.folder, one.path);
  if (isReached(git.folder, one.path)) rmSync(at, { recursive: true, force: true });
  if (one.kind === "remove") return;
  if (one.kind === "link") symlinkSync(one.target, at);
  else {
    writeFileSync(at, one.content);
    chmodSync(at, one.executable ? 0o755 : 0o644);
  }
}

/** Through folders alone, and no link. */
function isReached(folder: string, to: string): boolean {
  const names = to.split("/").slice(0, -1);
  return names.every(
    (_, depth) => lstatSync(join(folder, ...names.slice(0, depth + 1)), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** Whatever is no folder on the way to a path makes place for one. */
function clearWay(folder: string, to: string): void {
  const names = dirname(to) === "." ? [] : dirname(to).split("/");
  for (const [depth] of names.entries()) {
    const at = join(folder, ...names.slice(0, depth + 1));
    const status = lstatSync(at, { throwIfNoEntry: false });
    if (status?.isDirectory() === true) continue;
    rmSync(at, { force: true });
    mkdirSync(at);
  }
}
