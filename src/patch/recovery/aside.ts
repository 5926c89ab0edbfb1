import { constants, copyFileSync, linkSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { Looker, onDisk } from "../land/disk.ts";
import type { Before } from "../land/path-check.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { blobId, isCheckoutOf } from "./contents.ts";
import { type Rescued, rescueFile } from "./rescue.ts";

/** What a link fails of that a copy may not: another file system, one without links, too many of them, someone else's file. */
const linkless = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
const refusals = new Set(["EEXIST", "ENOENT", "EACCES", "EPERM", "EROFS"]);

/** Where the files lie that a landing replaces or takes away, while it lasts. */
export function asideFolder(ferryFolder: string): string {
  return join(ferryFolder, "aside");
}

/**
 * Keeps each file that is about to be replaced or taken away, by a second name: git makes files anew and leaves the old one as it is.
 * What a filter loses, what it can't make again, and line ends that git takes for others are then not lost. Gives the paths, the file of
 * each being named by its place among them, and what tells an edited one. One that nobody may link or read is left out.
 */
export function setAside(
  folder: string,
  workTree: string,
  changes: readonly Change[],
  { kept }: Pick<Before, "kept">,
): Required<Pick<Before, "aside" | "stamps">> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const staying = new Set(kept);
  const looker = new Looker(workTree);
  const [aside, stamps]: [GitPath[], string[]] = [[], []];
  for (const { path, oldMode } of changes) {
    if (oldMode === modes.absent || staying.has(path) || looker.look(path).what !== "file") continue;
    const name = join(folder, String(aside.length));
    if (!linkOrCopy(onDisk(workTree, path), name)) continue;
    aside.push(path);
    stamps.push(stampOf(name) ?? "");
  }
  return { aside, stamps };
}

/** Changes with each edit. Not the time of change, which is that of the last link, too. Undefined where there is no file. */
function stampOf(file: string): string | undefined {
  const status = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return status && `${status.size} ${status.mtimeNs}`;
}

/** Files as they were before a landing. */
export class Aside {
  private readonly names: ReadonlyMap<GitPath, string>;
  private readonly stamps: readonly string[];
  private readonly copy: Pick<WorkingCopy, "git" | "repository">;

  constructor(
    folder: string,
    { aside = [], stamps = [] }: Pick<Before, "aside" | "stamps">,
    copy: Pick<WorkingCopy, "git" | "repository">,
  ) {
    this.names = new Map(aside.map((path, at) => [path, join(folder, String(at))]));
    this.stamps = stamps;
    this.copy = copy;
  }

  has(path: GitPath): boolean {
    return this.names.has(path);
  }

  /** Whether the file is where it was, or one of its content and permissions. */
  async isThere(path: GitPath): Promise<boolean> {
    const name = this.names.get(path);
    const { workTree, objectFormat } = this.copy.repository;
    if (name === undefined || new Looker(workTree).look(path).what !== "file") return false;
    const file = onDisk(workTree, path);
    const [one, other] = [name, file].map((each) => lstatSync(each, { bigint: true, throwIfNoEntry: false }));
    if (one === undefined || other?.size !== one.size) return false;
    if (one.ino === other.ino && one.dev === other.dev) return true;
    return one.mode === other.mode && (await blobId(name, objectFormat)) === (await blobId(file, objectFormat));
  }

  /** Those that someone has written into since. By a copy, which is no second name, that can't be seen. */
  edited(): GitPath[] {
    return [...this.names].flatMap(([path, name], at) => {
      const [was, is] = [this.stamps[at], stampOf(name)];
      return was === undefined || is === undefined || is === was ? [] : [path];
    });
  }

  /** Puts it where nothing is. False where something is, or there is no such file. */
  putBack(path: GitPath): boolean {
    const name = this.names.get(path);
    if (name === undefined || lstatSync(name, { throwIfNoEntry: false }) === undefined) return false;
    const { workTree } = this.copy.repository;
    return makeFolderOf(workTree, path) && linkOrCopy(name, onDisk(workTree, path));
  }

  /**
   * Copies those files to the rescue folder that are no more where they were, unless git has the very bytes or makes them of the old
   * content. Gives their paths, and where each is.
   */
  async rescue(changes: readonly Change[], folder: string): Promise<Rescued[]> {
    const rescued: Rescued[] = [];
    for (const { path, oldMode, oldId } of changes) {
      const name = this.names.get(path);
      if (name === undefined || (await this.isThere(path))) continue;
      if (lstatSync(name, { throwIfNoEntry: false }) === undefined) continue;
      if (await isCheckoutOf(this.copy, name, { path, mode: oldMode, id: oldId })) continue;
      rescued.push({ path, copy: await rescueFile(name, path, folder) });
    }
    return rescued;
  }
}

function makeFolderOf(workTree: string, path: GitPath): boolean {
  const end = path.lastIndexOf("/");
  try {
    if (end > 0) mkdirSync(onDisk(workTree, path.slice(0, end)), { recursive: true });
    return true;
  } catch (error) {
    return refused(error);
  }
}

/** False where the new name is taken, or the system forbids it. */
function linkOrCopy(from: string | Buffer, to: string | Buffer): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isOneOf(error, linkless)) return refused(error);
    try {
      copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    } catch (failure) {
      return refused(failure);
    }
  }
  return true;
}

function refused(error: unknown): false {
  if (!isOneOf(error, refusals)) throw error;
  return false;
}

function isOneOf(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}
