import { appendFile, copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type GitPath, pathBytes } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { indexInfo } from "./compare.ts";
import { writeIndex } from "./locks.ts";
import type { Watched, WorkingCopy } from "./working-copy.ts";

/**
 * Marks new paths in the index that lie out of a sparse checkout's cone, as git does where it writes the working tree itself
 * (git-sparse-checkout(1)). Gives these.
 */
export async function hideOutOfCone(copy: WorkingCopy, changes: readonly Change[]): Promise<GitPath[]> {
  const added = changes.filter(({ oldMode, newMode }) => oldMode === modes.absent && newMode !== modes.absent);
  if (added.length === 0) return [];
  const hidden = await findOutOfCone(copy, added);
  const paths = pathBytes(hidden.map((path) => `${path}\0`).join(""));
  if (hidden.length > 0) await writeIndex(copy, ["update-index", "-z", "--skip-worktree", "--stdin"], paths);
  return hidden;
}

/**
 * Only git knows its patterns' meaning, and tells it only by a checkout. So one is made, in a repository of our own that has the
 * patterns, of empty files at these paths.
 */
async function findOutOfCone({ git, repository, scratch }: Watched, added: readonly Change[]): Promise<GitPath[]> {
  const { workTree, gitDir, objectFormat } = repository;
  const asked = await git.run(["config", "--type=bool", "--get-regexp", "^core\\.(sparsecheckout(cone)?|ignorecase)$"], {
    cwd: workTree,
    gitDir,
    workTree,
  });
  const settings = asked.stdout.toString("latin1").trim().split("\n");
  if (!settings.includes("core.sparsecheckout true")) return [];
  const tree = join(scratch, "cone");
  const own = join(tree, ".git");
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree);
  const place = { cwd: tree, isolated: true };
  await git.ok(["init", "--quiet", "--template=", `--object-format=${objectFormat}`, "--initial-branch=cone", tree], place);
  await appendFile(
    join(own, "config"),
    settings.map((line) => `[core]\n\t${line.slice("core.".length).replace(" ", " = ")}\n`).join(""),
  );
  await mkdir(join(own, "info"), { recursive: true });
  const isThere = await copyFile(join(gitDir, "info", "sparse-checkout"), join(own, "info", "sparse-checkout")).then(
    () => true,
    unlessMissing,
  );
  if (!isThere) return [];
  const options = { ...place, gitDir: own, workTree: tree };
  const empty = (await git.ok(["hash-object", "-w", "--stdin"], { ...options, input: "" })).toString("latin1").trim();
  const entries = added.map(({ path, newMode, newId }) =>
    newMode === modes.gitlink ? { path, mode: newMode, id: newId } : { path, mode: modes.file, id: empty },
  );
  await git.ok(["update-index", "-z", "--index-info"], { ...options, input: indexInfo(entries) });
  const made = (await git.ok(["write-tree"], options)).toString("latin1").trim();
  await rm(join(own, "index"));
  await git.ok(["read-tree", "-m", "-u", made], options);
  const listing = await git.ok(["ls-files", "-z", "-t", "--full-name"], options);
  const hidden = listing
    .toString("latin1")
    .split("\0")
    .filter((line) => line.startsWith("S "));
  await rm(tree, { recursive: true, force: true });
  return hidden.map((line) => line.slice(2));
}

function unlessMissing(error: NodeJS.ErrnoException): false {
  if (error.code !== "ENOENT") throw error;
  return false;
}
