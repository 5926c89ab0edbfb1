import { readFile } from "node:fs/promises";
import { count } from "../../base/text.ts";
import type { Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import { type GitPath, pathBytes, showPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { gitError } from "../../git/runner.ts";
import { Looker, onDisk } from "./disk.ts";

/** A pointer is smaller than this, and its first line is the version (git-lfs docs/spec.md). */
const largest = 1024;
const firstLine = "version https://git-lfs.github.com/spec/v1\n";

const shown = 5;

interface Place {
  readonly git: Git;
  readonly repository: Repository & { readonly workTree: string };
}

/**
 * Which of the files that came stayed Git LFS pointers: git-lfs isn't set up here, or had no object for them and none to fetch.
 * The commit is whole then, the working copy's content isn't. Gives a notice with what to do, or none. Never fails, as all has landed.
 */
export async function pointersLeft({ git, repository }: Place, changes: readonly Change[]): Promise<string[]> {
  const { workTree, gitDir } = repository;
  const files = changes.filter(({ newMode }) => newMode === modes.file || newMode === modes.executable);
  if (files.length === 0) return [];
  const args = ["check-attr", "--stdin", "-z", "filter"];
  const input = pathBytes(files.map(({ path }) => `${path}\0`).join(""));
  const result = await git.run(args, { cwd: workTree, gitDir, workTree, input, mayBeKilled: true });
  if (result.code !== 0) return [`which files are Git LFS pointers can't be told: ${gitError(args, result).message}`];
  const looker = new Looker(workTree);
  const left: GitPath[] = [];
  for (const path of filteredByLfs(result.stdout)) {
    const found = looker.look(path);
    if (found.what !== "file" || found.size >= largest) continue;
    const content = await readFile(onDisk(workTree, path), "latin1").catch(() => "");
    if (content.startsWith(firstLine)) left.push(path);
  }
  return left.length === 0 ? [] : [`Git LFS pointers whose content isn't here: ${listed(left)}; get it with git lfs pull`];
}

/** git-check-attr(1), -z: path, attribute and value, each ended by a NUL. */
function filteredByLfs(output: Buffer): GitPath[] {
  const parts = output.toString("latin1").split("\0");
  return parts.filter((_, at) => at % 3 === 0 && parts[at + 2] === "lfs");
}

function listed(paths: readonly GitPath[]): string {
  const names = paths.slice(0, shown).map(showPath).join(", ");
  return paths.length > shown ? `${names} and ${count(paths.length - shown, "other")}` : names;
}
