import { dirname, join, resolve, sep } from "node:path";
import { findLeftovers } from "../../../auth/leftovers.ts";
import { withLock } from "../../../auth/lock.ts";
import { FerryError, UnwritableError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Files, FileStatus } from "../../../host/host.ts";
import { findPlace } from "../../flows/place/place.ts";
import type { Context } from "../../context.ts";
import { asideEnding, hasBlock, hookNames, isOwnHook, isShellScript, linksFolder, withoutBlock, type HookName } from "./block.ts";

/** The names in the JSON of a hook. */
export const hookFields = ["name", "installed", "path"] as const;

export interface Hook {
  readonly name: HookName;
  readonly path: string;
  /**
   * What is there: nothing, ours alone, or a shell script that git runs, in which ours can stand, too. Ours can't in another language, in
   * what git doesn't run, which stays off, and in a link: what it leads to is somebody else's, and finds its parts from there.
   */
  readonly holds: "nothing" | "ours" | "script" | "other";
  readonly kind: FileStatus["kind"] | undefined;
  /** A character for each byte, so that whatever its encoding is it stays; "" where there is no file. */
  readonly text: string;
  readonly mode: number;
  readonly installed: boolean;
  /** Where a hook lies that ours can't stand in, and a link to it that is called as the hook is. */
  readonly aside: string;
  readonly link: string;
  /**
   * What lies aside: nothing, the hook that ours goes on to, one that git doesn't run since ours before it is gone ("lost"), the very one
   * that is in its place ("twice"), where an install was killed before ours came there, or another one.
   */
  readonly kept: "nothing" | "behind" | "lost" | "twice" | "another";
  /** What an install or uninstall that was killed left beside them. */
  readonly leftovers: readonly string[];
}

/** Each hook where git looks for it: core.hooksPath (husky's folder is that, too), else the repository's own, which its worktrees share. */
export async function findHooks(context: Context): Promise<Hook[]> {
  const { folder } = await hooksFolder(context);
  return Promise.all(hookNames.map((name) => findHook(context, folder, name)));
}

/** How long another ferry is waited for that is at the hooks, in ms. */
const patience = 5000;

/**
 * Does the work on them while no other ferry changes them: `npm install` runs the prepare scripts of several packages at once.
 * What those that were killed left behind goes first.
 * @throws FerryError unavailable where another one is at them for long; failure where the folder can't be written
 */
export async function withHooks<T>(context: Context, work: (hooks: readonly Hook[]) => Promise<T>): Promise<T> {
  const { host } = context;
  const { folder } = await hooksFolder(context);
  try {
    // With the modes that git would have made it with, others may have to read it (core.sharedRepository).
    await host.files.makeFolder(folder, 0o777);
    return await withLock(host, join(folder, "ferry.lock"), patience, async () => {
      const hooks = await findHooks(context);
      for (const path of hooks.flatMap(({ leftovers }) => leftovers)) await host.files.remove(path);
      await removeUnusedLinks(host.files, join(folder, linksFolder));
      return work(hooks);
    });
  } catch (error) {
    if (!(error instanceof UnwritableError)) throw error;
    throw new FerryError("failure", error.message, {
      hint: "git's hooks lie there: see whose the folder is, or have them in another one: git config core.hooksPath FOLDER",
      cause: error,
    });
  }
}

async function findHook({ host }: Context, folder: string, name: HookName): Promise<Hook> {
  const path = join(folder, name);
  const { kind, mode = 0o755 } = (await host.files.status(path)) ?? {};
  const text = kind === "file" ? Buffer.from((await host.files.read(path)) ?? "").toString("latin1") : "";
  const runs = host.platform === "win32" || (mode & 0o111) !== 0;
  const holds: Hook["holds"] =
    kind === undefined ? "nothing" : isOwnHook(text) ? "ours" : runs && isShellScript(text) ? "script" : "other";
  const aside = path + asideEnding;
  const link = join(folder, linksFolder, name);
  const known = { name, path, holds, kind, text, mode, installed: hasBlock(text), aside, link };
  return { ...known, kept: await keptAside(host.files, known), leftovers: await leftBehind(host.files, known) };
}

async function keptAside(files: Files, hook: Omit<Hook, "kept" | "leftovers">): Promise<Hook["kept"]> {
  const { kind, path, holds, text, aside } = hook;
  const there = (await files.status(aside))?.kind;
  if (there === undefined) return "nothing";
  if (holds === "nothing") return "lost";
  if (holds === "ours") return "behind";
  if (there !== kind) return "another";
  const isSame =
    kind === "file"
      ? Buffer.from((await files.read(aside)) ?? "").toString("latin1") === withoutBlock(text)
      : kind === "link" && (await files.target(aside)) === (await files.target(path));
  return isSame ? "twice" : "another";
}

async function leftBehind(files: Files, { path, aside, link }: Pick<Hook, "path" | "aside" | "link">): Promise<string[]> {
  const written = [...(await findLeftovers(files, path)), ...(await findLeftovers(files, aside))];
  const leadsNowhere = (await files.status(link))?.kind === "link" && (await files.status(aside)) === undefined;
  const links = (await isEmptyFolder(files, dirname(link))) ? [dirname(link)] : [];
  return [...written, ...(leadsNowhere ? [link] : []), ...links];
}

/** Takes the folder of the links away where there is none left in it. */
export async function removeUnusedLinks(files: Files, folder: string): Promise<void> {
  if (await isEmptyFolder(files, folder)) await files.remove(folder);
}

async function isEmptyFolder(files: Files, path: string): Promise<boolean> {
  return (await files.status(path))?.kind === "folder" && (await files.list(path)).length === 0;
}

/** Puts the text there as the hook's, byte by byte. */
export async function writeHook({ host }: Context, { path, mode }: Hook, text: string): Promise<void> {
  await host.files.write(path, Buffer.from(text, "latin1"), mode);
}

/** @throws FerryError attention where core.hooksPath, or a link in the place of the repository's own folder, leads to what holds no hooks, /dev/null mostly: so somebody switches them off */
export async function requireHooksFolder(context: Context): Promise<void> {
  const { files } = context.host;
  const { folder, isSet, isEmpty } = await hooksFolder(context);
  if (isEmpty) throw switchedOff("core.hooksPath is set to nothing", findHooksPath);
  const real = await files.realPath(folder);
  if (real === undefined || (await files.status(real))?.kind === "folder") return;
  if (!isSet) throw switchedOff(`${oneLine(folder)} is no folder`, "take it away, and try again");
  throw switchedOff(`core.hooksPath is ${oneLine(folder)}, which is no folder`, findHooksPath);
}

const findHooksPath = "git config --show-origin core.hooksPath says where that stands";

function switchedOff(why: string, hint: string): FerryError {
  return new FerryError("attention", `git's hooks are switched off here: ${why}`, { hint });
}

/** What leads out of this repository to hooks that others may run, too; undefined where they are its own. */
export async function leadingOut(context: Context): Promise<string | undefined> {
  const { repository } = await findPlace(context);
  const { folder: given, isSet } = await hooksFolder(context);
  const [folder, ...ours] = await Promise.all(
    [given, repository.commonDir, repository.workTree ?? repository.commonDir].map(
      async (path) => (await context.host.files.realPath(path)) ?? path,
    ),
  );
  if (folder === undefined || ours.some((path) => folder === path || folder.startsWith(`${path}${sep}`))) return undefined;
  return isSet ? "core.hooksPath" : `${oneLine(given)} is a link that`;
}

interface HooksFolder {
  readonly folder: string;
  /** Whether core.hooksPath says so. */
  readonly isSet: boolean;
  /** Set to nothing: git looks for `/post-merge` and the like then. */
  readonly isEmpty: boolean;
}

/** githooks(5): a relative core.hooksPath counts from where the hooks run, the top of the working copy. */
async function hooksFolder(context: Context): Promise<HooksFolder> {
  const { folder, repository } = await findPlace(context);
  // Every git of ours is told of another hooksPath on its command line, so that scope is not the user's.
  const args = ["config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const fields = (await context.git.run(args, { cwd: folder })).stdout.toString("utf8").split("\0");
  const paths = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== "command");
  const path = paths.at(-1);
  const isEmpty = path === "";
  return {
    folder: isEmpty ? resolve("/") : resolve(folder, path ?? join(repository.commonDir, "hooks")),
    isSet: path !== undefined,
    isEmpty,
  };
}
