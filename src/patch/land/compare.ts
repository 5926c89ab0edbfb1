import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../git/discover.ts";
import type { Git, GitStreamOptions } from "../../git/git.ts";
import { type GitPath, pathBytes } from "../../git/path.ts";
import { modes } from "../../git/records.ts";

/** A path as a tree or an index has it. */
export interface Entry {
  readonly path: GitPath;
  readonly mode: string;
  readonly id: string;
}

/**
 * Which of these entries the working tree holds, by git's own comparison (EOL conversion, filters, fileMode …): an index of only
 * them is made aside and refreshed. Gitlinks aren't asked about.
 */
export async function presentAs(
  git: Git,
  repository: Repository & { readonly workTree: string },
  { entries, scratch }: { entries: readonly Entry[]; scratch: string },
): Promise<Set<GitPath>> {
  const files = entries.filter((entry) => entry.mode !== modes.gitlink && entry.mode !== modes.absent);
  if (files.length === 0) return new Set();
  const index = join(scratch, "compare-index");
  const options = withIndex(repository, index);
  await git.ok(["update-index", "-z", "--index-info"], { ...options, input: indexInfo(files) });
  // Exits with 1 where something differs, which is the question.
  await git.run(["update-index", "-q", "--refresh"], options);
  const differing = await git.ok(["diff-files", "-z", "--name-only", "--no-ext-diff"], options);
  await rm(index, { force: true });
  const names = new Set(differing.toString("latin1").split("\0"));
  return new Set(files.map((entry) => entry.path).filter((path) => !names.has(path)));
}

/** How git is run in the user's working copy, with another index than theirs. */
export function withIndex(repository: Repository & { readonly workTree: string }, index: string): GitStreamOptions {
  const { workTree, gitDir } = repository;
  // A split index would leave its shared half in the user's git folder.
  return { cwd: workTree, gitDir, workTree, env: { GIT_INDEX_FILE: index }, config: { "core.splitIndex": "false" } };
}

/** What `update-index -z --index-info` reads. */
export function indexInfo(entries: readonly Entry[]): Buffer {
  return pathBytes(entries.map(({ mode, id, path }) => `${mode === modes.absent ? "0" : mode} ${id}\t${path}\0`).join(""));
}
