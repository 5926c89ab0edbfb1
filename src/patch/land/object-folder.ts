import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../git/discover.ts";
import type { Quarantine } from "../quarantine.ts";

/**
 * An index comes last: git takes a pack for whole that has one. What a partial clone's git fetched meanwhile stays marked as promised
 * (gitrepository-layout(5) names the others).
 */
const packOrder = [".promisor", ".pack", ".rev", ".idx"];

/** Where git writes new objects before they go, whole, to those of the repository; what it writes them of lies there already. */
export interface ObjectFolder {
  /** For git's environment: git(1). */
  readonly env: { readonly GIT_OBJECT_DIRECTORY: string };
  /** Moves all that git wrote to the repository's objects. */
  adopt(): Promise<void>;
}

/**
 * Makes such a folder, beside the repository's objects, as git does for a push that it receives (tmp-objdir.c): a git that fails, on a
 * full disk or at a bad object, leaves its half-written files in it, and none among the user's. It goes with the quarantine.
 */
export async function makeObjectFolder({ incoming: folder }: Quarantine, { commonDir }: Repository): Promise<ObjectFolder> {
  const objects = join(commonDir, "objects");
  await mkdir(join(folder, "info"), { recursive: true });
  await mkdir(join(folder, "pack"), { recursive: true });
  await writeFile(join(folder, "info", "alternates"), `${objects}\n`);
  return {
    env: { GIT_OBJECT_DIRECTORY: folder },
    adopt: async () => {
      const packs = (await readdir(join(folder, "pack"))).filter((file) => packOrder.some((end) => file.endsWith(end)));
      await move(inOrder(packs), { from: folder, to: objects, part: "pack" });
      for (const part of await readdir(folder))
        if (/^[0-9a-f]{2}$/u.test(part)) await move(await readdir(join(folder, part)), { from: folder, to: objects, part });
    },
  };
}

function inOrder(files: readonly string[]): string[] {
  const rank = (file: string) => packOrder.findIndex((end) => file.endsWith(end));
  return files.toSorted((one, other) => rank(one) - rank(other));
}

async function move(files: readonly string[], { from, to, part }: { from: string; to: string; part: string }): Promise<void> {
  if (files.length === 0) return;
  const folder = join(to, part);
  // As shared as the others are (core.sharedRepository).
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
  if (isNew) await chmod(folder, (await stat(to)).mode & 0o7777);
  for (const file of files) await moveFile(join(from, part, file), { folder, file });
}

/** Part of a repository's objects may lie on another file system, behind a link: there it takes a copy, by a name that git-gc(1) knows. */
async function moveFile(from: string, { folder, file }: { folder: string; file: string }): Promise<void> {
  try {
    await rename(from, join(folder, file));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    await copyOver(from, { folder, file });
  }
}

async function copyOver(from: string, { folder, file }: { folder: string; file: string }): Promise<void> {
  const draft = join(folder, `tmp_ferry_${file}`);
  try {
    await copyFile(from, draft);
    await syncFile(draft);
    await rename(draft, join(folder, file));
  } finally {
    await rm(draft, { force: true });
  }
}

/** As git did with what is copied. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}
