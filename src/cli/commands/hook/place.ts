import { join, resolve, sep } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { findPlace } from "../../flows/place/place.ts";
import type { Context } from "../../context.ts";
import { hasBlock, hookNames, isShellScript, type HookName } from "./block.ts";

export interface Hook {
  readonly name: HookName;
  readonly path: string;
  /** What the file holds now; undefined where there is none, and for a link. */
  readonly text: string | undefined;
  readonly installed: boolean;
  /** Whether ours can stand there: there is nothing yet, or a shell script that git runs, which without the mode for that it doesn't. */
  readonly takesOurs: boolean;
  /** Where a hook lies that ours can't stand in; a link too, since what it leads to is somebody else's, and finds its parts from there. */
  readonly aside: string;
}

/** Each hook where git looks for it: core.hooksPath (husky's folder is that, too), else the repository's own, which its worktrees share. */
export async function findHooks(context: Context): Promise<Hook[]> {
  const { files, platform } = context.host;
  const folder = await hooksFolder(context);
  return Promise.all(
    hookNames.map(async (name) => {
      const path = join(folder, name);
      const status = await files.status(path);
      const text = status?.kind === "link" ? undefined : await files.readText(path);
      const runs = platform === "win32" || ((status?.mode ?? 0) & 0o111) !== 0;
      const takesOurs = status === undefined || (runs && text !== undefined && isShellScript(text));
      return { name, path, text, takesOurs, installed: text !== undefined && hasBlock(text), aside: `${path}.before-ferry` };
    }),
  );
}

/** @throws FerryError attention where core.hooksPath leads to what holds no hooks, /dev/null mostly: so somebody switches them off */
export async function requireHooksFolder(context: Context): Promise<void> {
  const { files } = context.host;
  const folder = await hooksFolder(context);
  const real = await files.realPath(folder);
  if (real === undefined || (await files.status(real))?.kind === "folder") return;
  throw new FerryError(
    "attention",
    `git's hooks are switched off here: core.hooksPath is ${oneLine(folder)}, which is no folder`,
    { hint: "git config --show-origin core.hooksPath says where that stands" },
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
