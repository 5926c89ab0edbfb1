import { join, resolve, sep } from "node:path";
import { withLock } from "../../../auth/lock.ts";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { findPlace } from "../../flows/place/place.ts";
import type { Context } from "../../context.ts";
import { asideEnding, hasBlock, hookNames, isOwnHook, isShellScript, linksFolder, type HookName } from "./block.ts";

export interface Hook {
  readonly name: HookName;
  readonly path: string;
  /**
   * What is there: nothing, ours alone, or a shell script that git runs, in which ours can stand, too. Ours can't in another language, in
   * what git doesn't run, which stays off, and in a link: what it leads to is somebody else's, and finds its parts from there.
   */
  readonly holds: "nothing" | "ours" | "script" | "other";
  /** A character for each byte, so that whatever its encoding is it stays; "" where there is no file. */
  readonly text: string;
  readonly mode: number;
  readonly installed: boolean;
  /** Where a hook lies that ours can't stand in, and a link to it that is called as the hook is. */
  readonly aside: string;
  readonly link: string;
}

/** Each hook where git looks for it: core.hooksPath (husky's folder is that, too), else the repository's own, which its worktrees share. */
export async function findHooks(context: Context): Promise<Hook[]> {
  const folder = await hooksFolder(context);
  return Promise.all(hookNames.map((name) => findHook(context, folder, name)));
}

/** How long another ferry is waited for that is at the hooks, in ms. */
const patience = 5000;

/**
 * Does the work on them while no other ferry changes them: `npm install` runs the prepare scripts of several packages at once.
 * @throws FerryError unavailable where another one is at them for long
 */
export async function withHooks<T>(context: Context, work: (hooks: readonly Hook[]) => Promise<T>): Promise<T> {
  const { host } = context;
  const folder = await hooksFolder(context);
  // With the modes that git would have made it with, others may have to read it (core.sharedRepository).
  await host.files.makeFolder(folder, 0o777);
  return withLock(host, join(folder, "ferry.lock"), patience, async () => work(await findHooks(context)));
}

async function findHook({ host }: Context, folder: string, name: HookName): Promise<Hook> {
  const path = join(folder, name);
  const { kind, mode = 0o755 } = (await host.files.status(path)) ?? {};
  const text = kind === "file" ? Buffer.from((await host.files.read(path)) ?? "").toString("latin1") : "";
  const runs = host.platform === "win32" || (mode & 0o111) !== 0;
  const holds =
    kind === undefined ? "nothing" : isOwnHook(text) ? "ours" : runs && isShellScript(text) ? "script" : ("other" as const);
  const aside = path + asideEnding;
  return { name, path, holds, text, mode, installed: hasBlock(text), aside, link: join(folder, linksFolder, name) };
}

/** Puts the text there as the hook's, byte by byte. */
export async function writeHook({ host }: Context, { path, mode }: Hook, text: string): Promise<void> {
  await host.files.write(path, Buffer.from(text, "latin1"), mode);
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
