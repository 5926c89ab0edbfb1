import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { GitPath } from "../../git/path.ts";
import { type Change, modes } from "../../git/records.ts";
import { Looker, onDisk, stampOf, statusOf } from "../land/disk.ts";
import type { Before } from "../land/path-check.ts";
import type { WorkingCopy } from "../land/working-copy.ts";
import { blobId, isCheckoutOf } from "./contents.ts";
import { freeName, nameOf, type Rescued, rescueFile, rescueFolder } from "./rescue.ts";

/** What a link fails of that a copy may not: another file system, one without links, too many of them, someone else's file. */
const linkless = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
const taken = new Set(["EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT"]);
const refusals = new Set(["EEXIST", "ENOENT", "EACCES", "EPERM", "EROFS"]);

type Place = string | Buffer;

/** Where the files lie that a landing replaces or takes away, while it lasts. */
export function asideFolder(ferryFolder: string): string {
  return join(ferryFolder, "aside");
}

/** Files that are kept: paths, each by its place among them, and what each was like. */
interface Kept {
  readonly aside: readonly GitPath[];
  readonly stamps: readonly string[];
}

/** Those of the changes whose file is to be kept aside; the stamps are from before anybody looked into them. */
export function planAside(
  changes: readonly Change[],
  { before: { kept }, stamps }: { before: Pick<Before, "kept">; stamps: ReadonlyMap<GitPath, string> },
): Kept {
  const staying = new Set(kept);
  const going = changes.filter(({ path, oldMode }) => oldMode !== modes.absent && !staying.has(path) && stamps.has(path));
  return { aside: going.map(({ path }) => path), stamps: going.map(({ path }) => stamps.get(path) ?? "") };
}

/** Where copies go, and paths whose old content git has for the landing alone: the user's own, which was captured. */
export interface Rescue {
  readonly folder: string;
  readonly passing: ReadonlySet<GitPath>;
}

/**
 * The files that a landing replaces or takes away. Each is moved out of the working tree just before another comes in its place, and
 * kept till the end: what a filter loses, what it can't make again, and line ends that git takes for others are then not lost; and
 * what is in the way after that is someone's own.
 */
export class Aside {
  private readonly names: ReadonlyMap<GitPath, string>;
  private readonly stamps: ReadonlyMap<GitPath, string | undefined>;
  private readonly copy: Pick<WorkingCopy, "git" | "repository">;

  constructor(
    folder: string,
    { aside = [], stamps = [] }: Pick<Before, "aside" | "stamps">,
    copy: Pick<WorkingCopy, "git" | "repository">,
  ) {
    this.names = new Map(aside.map((path, at) => [path, join(folder, String(at))]));
    this.stamps = new Map(aside.map((path, at) => [path, stamps[at]]));
    this.copy = copy;
  }

  has(path: GitPath): boolean {
    return this.names.has(path);
  }

  /**
   * Moves a file out of the working tree, unless it isn't to be kept. False where it is not the one that was looked at, but has been
   * saved anew, edited or taken away meanwhile; it is where it was then.
   */
  take(path: GitPath): boolean {
    const name = this.names.get(path);
    if (name === undefined) return true;
    const file = onDisk(this.copy.repository.workTree, path);
    const isOne = (place: Place) => stampOf(place) === this.stamps.get(path);
    try {
      renameSync(file, name);
    } catch (error) {
      if (isOneOf(error, new Set(["ENOENT", "ENOTDIR"]))) return false;
      if (!isOneOf(error, new Set(["EXDEV"]))) throw error;
      if (!isOne(file)) return false;
      copy(file, name);
      const isWhole = isOne(file);
      unlinkSync(isWhole ? file : name);
      return isWhole;
    }
    if (isOne(name)) return true;
    this.giveBack(name, path);
    return false;
  }

  /** What was moved aside and isn't what was looked at, over nothing that is there by now: it goes to the rescue folder then. */
  private giveBack(name: string, path: GitPath): void {
    const { repository } = this.copy;
    const file = onDisk(repository.workTree, path);
    if (moveBack(name, file)) return;
    mkdirSync(rescueFolder(repository), { recursive: true, mode: 0o700 });
    renameSync(name, freeName(rescueFolder(repository), nameOf(path)));
  }

  /** Whether a file is where it was: it had not been moved yet, or is back, or there is one of its content and permissions. */
  async isThere(path: GitPath): Promise<boolean> {
    const name = this.names.get(path);
    const { workTree, objectFormat } = this.copy.repository;
    const { what } = new Looker(workTree).look(path);
    if (name === undefined || (what !== "file" && what !== "link")) return false;
    const file = onDisk(workTree, path);
    if (stampOf(file) === this.stamps.get(path)) return true;
    const [one, other] = [name, file].map(statusOf);
    if (one === undefined || (one.ino === other?.ino && one.dev === other.dev)) return true;
    if (one.mode !== other?.mode || one.size !== other.size) return false;
    if (what === "link") return readlinkSync(name, "buffer").equals(readlinkSync(file, "buffer"));
    return (await blobId(name, objectFormat)) === (await blobId(file, objectFormat));
  }

  /** Those that someone has written into since. By a copy, which is no second name, that can't be seen. */
  edited(): GitPath[] {
    return [...this.names].flatMap(([path, name]) => {
      const [was, is] = [this.stamps.get(path), stampOf(name)];
      const isSameFile = was?.split(" ", 1)[0] === is?.split(" ", 1)[0];
      return is === undefined || is === was || !isSameFile ? [] : [path];
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
   * content, and has that for good. Gives their paths, and where each is. A link can't have been written into, so git has it.
   */
  async rescue(changes: readonly Change[], { folder, passing }: Rescue): Promise<Rescued[]> {
    const rescued: Rescued[] = [];
    for (const { path, oldMode, oldId } of changes) {
      const name = this.names.get(path);
      if (name === undefined || (await this.isThere(path))) continue;
      if (lstatSync(name, { throwIfNoEntry: false })?.isFile() !== true) continue;
      if (!passing.has(path) && (await isCheckoutOf(this.copy, name, { path, mode: oldMode, id: oldId }))) continue;
      rescued.push({ path, copy: await rescueFile(name, path, folder) });
    }
    return rescued;
  }
}

/** False where something is there: rename(2) gives a folder no file's place, and none that something is in. */
export function moveBack(from: Place, to: Place): boolean {
  if (!lstatSync(from).isDirectory()) {
    if (!linkOrCopy(from, to)) return false;
    unlinkSync(from);
    return true;
  }
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!isOneOf(error, taken)) throw error;
    return false;
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
function linkOrCopy(from: Place, to: Place): boolean {
  try {
    // What a symlink leads to would get the second name in some systems (link(2) of macOS).
    if (lstatSync(from).isSymbolicLink()) copy(from, to);
    else linkSync(from, to);
  } catch (error) {
    if (!isOneOf(error, linkless)) return refused(error);
    try {
      copy(from, to);
    } catch (failure) {
      return refused(failure);
    }
  }
  return true;
}

/** Overwrites nothing. */
function copy(from: Place, to: Place): void {
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, "buffer"), to);
  else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function refused(error: unknown): false {
  if (!isOneOf(error, refusals)) throw error;
  return false;
}

function isOneOf(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}
