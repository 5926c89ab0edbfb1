import { join, resolve, sep } from "node:path";
import { findPlace } from "../../flows/place/place.ts";
import type { Context } from "../../context.ts";
import { hasBlock, hookNames, type HookName } from "./block.ts";

export interface Hook {
  readonly name: HookName;
  readonly path: string;
  /** What the file holds now; undefined where there is none. */
  readonly text: string | undefined;
  readonly installed: boolean;
  /** Whether git runs it: without the mode for that it doesn't. */
  readonly active: boolean;
  /** Where a hook lies that ours can't stand in: no shell script, or one that git doesn't run. */
  readonly aside: string;
}

/** Each hook where git looks for it: core.hooksPath (husky's folder is that, too), else the repository's own, which its worktrees share. */
export async function findHooks(context: Context): Promise<Hook[]> {
  const folder = await hooksFolder(context);
  return Promise.all(
    hookNames.map(async (name) => {
      const path = join(folder, name);
      const text = await context.host.files.readText(path);
      const mode = (await context.host.files.status(path))?.mode ?? 0;
      const active = context.host.platform === "win32" || (mode & 0o111) !== 0;
      return { name, path, text, active, installed: text !== undefined && hasBlock(text), aside: `${path}.before-ferry` };
    }),
  );
}

/** Whether other repositories run the same ones: core.hooksPath leads out of this one. */
export async function areShared(context: Context): Promise<boolean> {
  const { repository } = await findPlace(context);
  const [folder, ...ours] = await Promise.all(
    [await hooksFolder(context), repository.commonDir, repository.workTree ?? repository.commonDir].map(
      async (path) => (await context.host.files.realPath(path)) ?? path,
    ),
  );
  return folder !== undefined && ours.every((path) => folder !== path && !folder.startsWith(`${path}${sep}`));
}

/** githooks(5): a relative core.hooksPath counts from where the hooks run, the top of the working copy. */
async function hooksFolder(context: Context): Promise<string> {
  const { folder, repository } = await findPlace(context);
  // Every git of ours is told of another hooksPath on its command line, so that scope is not the user's.
  const args = ["config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const fields = (await context.git.run(args, { cwd: folder })).stdout.toString("utf8").split("\0");
  const paths = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== "command");
  return resolve(folder, paths.at(-1) ?? join(repository.commonDir, "hooks"));
}
