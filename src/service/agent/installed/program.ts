import { open, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import type { Mount } from "../../sandbox/driver.ts";
import { type InsideNode, nodeMount } from "../../sandbox/node-mount.ts";
import { packageOf, treeOf } from "./package.ts";

/** A program of this machine as it runs inside of a sandbox, with what it needs of the machine and nothing else. */
export interface InsideProgram {
  readonly argv: readonly string[];
  readonly mounts: readonly Mount[];
  /** The version of the npm package that it belongs to, where it belongs to one. */
  readonly version: string | undefined;
}

export interface ProgramPlace {
  /** ferry's own Node, for a script that has none beside it. */
  readonly node: InsideNode;
  /** Whether what lies under /usr here isn't there inside. */
  readonly ownPrograms?: boolean;
  /** The absolute path of a program on PATH. */
  readonly find: (name: string) => Promise<string | undefined>;
}

/**
 * Looks from a program's real path what it is: a binary is bound by itself; a script of Node with its package, or, where that doesn't
 * hold what it depends on, with the `node_modules` around it, and run by the Node that it was installed with. What lies under /usr is
 * seen inside already.
 * @param target the folder inside for what is bound
 * @throws FerryError failure for a script that would need who knows what
 */
export async function insideProgram(path: string, target: string, place: ProgramPlace): Promise<InsideProgram> {
  const real = await realpath(path);
  const kind = await kindOf(real);
  const seen = isSystem(real) && place.ownPrograms !== true;
  if (kind === "other" && !seen)
    throw new FerryError("failure", `${path} is a script for a shell or another interpreter: ferry can't see what it needs`, {
      hint: "name the real command and what it needs: ferry config set agents.NAME.command '…', and agents.NAME.mounts",
    });
  const found = await packageOf(real);
  const single = { path: real, target: join(target, basename(real)) };
  if (kind !== "node") return { ...bound(real, single, seen), version: found?.version };
  const node = await nodeOf(real, target, place);
  const script = bound(real, found === undefined ? single : await treeOf(found, target), seen);
  return { argv: [node.path, ...script.argv], mounts: [...node.mounts, ...script.mounts], version: found?.version };
}

/** The program where a tree that holds it, or is it, lies at another place inside. */
function bound(
  program: string,
  tree: { readonly path: string; readonly target: string },
  seen: boolean,
): Pick<InsideProgram, "argv" | "mounts"> {
  if (seen) return { argv: [program], mounts: [] };
  return { argv: [tree.target + program.slice(tree.path.length)], mounts: [{ source: tree.path, target: tree.target }] };
}

function isSystem(path: string): boolean {
  return path.startsWith("/usr/");
}

/** By its first bytes: an ELF binary (elf(5)), a script whose first line names Node, or another. */
async function kindOf(path: string): Promise<"binary" | "node" | "other"> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const head = buffer.subarray(0, bytesRead).toString("latin1");
    if (head.startsWith("\x7fELF")) return "binary";
    return /^#!.*\bnode\b/u.test(head) || (/\.[cm]?js$/u.test(path) && !head.startsWith("#!")) ? "node" : "other";
  } finally {
    await file.close();
  }
}

/** The Node that a package manager installed the script for: `<prefix>/bin/node`, else the one on PATH, else ferry's; the image's where it has one. */
async function nodeOf(script: string, target: string, { node, find, ownPrograms }: ProgramPlace): Promise<InsideNode> {
  if (ownPrograms === true) return node;
  const [, prefix] = /^(.*?)\/lib\/node_modules\//u.exec(script) ?? [];
  const beside = prefix === undefined ? undefined : await realpath(join(prefix, "bin", "node")).catch(() => undefined);
  const chosen = beside ?? (await find("node"));
  // What is called `node` may be a version manager's shim, which is a script.
  if (chosen === undefined || (await kindOf(await realpath(chosen))) !== "binary") return node;
  return nodeMount(chosen, join(target, "node"));
}
