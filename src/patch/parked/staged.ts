import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import type { GitPath } from "../../git/path.ts";
import { modes, readChanges } from "../../git/records.ts";
import type { Context } from "../context.ts";
import { freeName, nameOf, type Rescued, rescueFolder } from "../recovery/rescue.ts";
import type { ParkedNote } from "./note.ts";
import { inTree, type ParkedTree } from "./tree.ts";

/**
 * Writes into the rescue folder what someone has staged in a worktree since it was moved on: the reset lets go of it, and the file may have
 * other content by now. Gives what that was.
 */
export async function rescueStaged(
  { from, clean, givenUp, made }: ParkedNote,
  tree: ParkedTree,
  { git, repository }: Context,
): Promise<Rescued[]> {
  const options = inTree(tree);
  const ask = async (commit: string): Promise<Map<GitPath, string>> => {
    const args = [
      "diff-index",
      "--cached",
      "-r",
      "-z",
      "--raw",
      "--no-renames",
      "--no-abbrev",
      "--ignore-submodules=all",
      commit,
    ];
    const said = await git.run(args, options);
    if (said.code !== 0) return new Map();
    // Those in conflict have no content.
    const changes = readChanges(said.stdout).filter(({ newMode, newId }) => newMode !== modes.gitlink && !/^0+$/u.test(newId));
    return new Map(changes.map(({ path, newId }) => [path, newId]));
  };
  const [since, apart] = [await ask(from ?? clean), await ask(clean)];
  const rescued: Rescued[] = [];
  for (const [path, id] of since) {
    if (!apart.has(path)) continue;
    const content = await git.ok(["cat-file", "blob", id], options);
    const hash = createHash("sha256").update(content).digest("hex");
    if ([givenUp?.[path], made?.[path]].includes(hash)) continue;
    await mkdir(rescueFolder(repository), { recursive: true, mode: 0o700 });
    const copy = freeName(rescueFolder(repository), `${nameOf(path)}.staged`);
    await writeFile(copy, content, { mode: 0o600 });
    rescued.push({ path, copy, isParked: true });
  }
  return rescued;
}
