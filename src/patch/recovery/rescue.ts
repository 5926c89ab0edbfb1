import { appendFileSync, constants, lstatSync } from "node:fs";
import { copyFile, cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Repository } from "../../git/discover.ts";
import type { Git } from "../../git/git.ts";
import type { GitPath } from "../../git/path.ts";
import { look, onDisk } from "../land/disk.ts";
import { ferryFolder } from "../quarantine.ts";

/** A file that was copied there. */
export interface Rescued {
  readonly path: GitPath;
  readonly copy: string;
  /** Of the worktree of a parked pull, and moved there: a link or a whole folder may be among those. */
  readonly isParked?: boolean;
}

/** Where copies go of what someone has written where a pull was at work. */
export function rescueFolder(repository: Repository): string {
  return join(ferryFolder(repository), "rescue");
}

/** Copies what lies at a path there. False for what is no file. */
export async function rescuePath(workTree: string, path: GitPath, folder: string): Promise<boolean> {
  if ((await look(workTree, path)).what !== "file") return false;
  await rescueFile(onDisk(workTree, path), path, folder);
  return true;
}

/** Copies a file there under the name of its path, beside the copies of earlier times. Gives the copy's name. */
export async function rescueFile(file: string | Buffer, path: GitPath, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = freeName(folder, nameOf(path));
  noteRescued(folder, { path, copy });
  await copyFile(file, copy, constants.COPYFILE_EXCL);
  return copy;
}

/**
 * Moves a file, a link or a folder there under the name of its path, beside what lies there from earlier times: it needn't be readable,
 * and a program that has it open goes on writing in what was kept. Gives its new name.
 */
export async function rescueByMoving(file: string | Buffer, path: GitPath, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = freeName(folder, nameOf(path));
  noteRescued(folder, { path, copy, isParked: true });
  if (!(await rename(file, copy).then(() => true, unlessFar))) await copyOver(file, copy);
  return copy;
}

/** Notes what is about to come to the rescue folder, or to have a ref, till it is told: whoever comes after us, if we are killed, tells it. */
export function noteRescued(folder: string, rescued: Rescued): void {
  appendFileSync(untoldIn(folder), `${JSON.stringify(rescued)}\n`, { mode: 0o600 });
}

/** What a killed run had no time to tell, of what it came to. The repository may have been moved since. */
export async function readUntold(repository: Repository, git: Git): Promise<Rescued[]> {
  const folder = rescueFolder(repository);
  const text = await readFile(untoldIn(folder), "utf8").catch(unlessMissing);
  const noted = (text ?? "").split("\n").flatMap(readLine);
  const now = noted.map((each) => (isRef(each) ? each : { ...each, copy: join(folder, basename(each.copy)) }));
  const came = await Promise.all(now.map((each) => isThere(each, repository, git)));
  return now.filter((_, at) => came[at]);
}

/** Whether it has a ref, and no file. */
export function isRef({ copy }: Rescued): boolean {
  return copy.startsWith("refs/");
}

async function isThere(rescued: Rescued, { gitDir }: Repository, git: Git): Promise<boolean> {
  if (!isRef(rescued)) return lstatSync(rescued.copy, { throwIfNoEntry: false }) !== undefined;
  return (await git.run(["rev-parse", "--verify", "--quiet", rescued.copy], { cwd: gitDir, gitDir })).code === 0;
}

export async function forgetUntold(repository: Repository): Promise<void> {
  await rm(untoldIn(rescueFolder(repository)), { force: true });
}

function untoldIn(folder: string): string {
  return join(dirname(folder), "untold");
}

/** The last line may be torn. */
function readLine(line: string): Rescued[] {
  try {
    return [JSON.parse(line) as Rescued];
  } catch {
    return [];
  }
}

/** From another file system, as it is. Where it can't be read there is no copy, and it stays. */
async function copyOver(file: string | Buffer, copy: string): Promise<void> {
  const options = { recursive: true, errorOnExist: true, force: false, preserveTimestamps: true, verbatimSymlinks: true };
  await cp(file.toString(), copy, options);
  await rm(file, { recursive: true });
}

/** What a file is called there: its path, in what each system takes for one name. */
export function nameOf(path: GitPath): string {
  return encodeURIComponent(path).slice(0, 200);
}

/** A name in the folder that nothing has. The caller holds the repository's lock: nobody else makes any there. */
export function freeName(folder: string, name: string): string {
  for (let number = 1; ; number++) {
    const place = join(folder, number === 1 ? name : `${name}.${number}`);
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return place;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

function unlessFar(error: NodeJS.ErrnoException): false {
  if (error.code !== "EXDEV") throw error;
  return false;
}
