import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { findFolders } from "../base/folders.ts";

/**
 * V8's code cache of the program's files, one a command, so that it holds what that command runs and no more: compiling is most of
 * what a short command does.
 */
export interface CodeCache {
  /** What V8 made of the file in an earlier run of this command; undefined where there is none. */
  read(name: string): Buffer | undefined;
  /** Keeps it for the next run. A folder that takes no files costs that run its haste, nothing else. */
  write(name: string, data: Buffer): void;
}

/**
 * It lies in the user's own state folder, and is taken only from a file that nobody else could have written: code in it is run as it
 * is. (Node's own, `module.enableCompileCache`, is not there before 22, and its preset folder is one that all users share.) Without a
 * command to keep it for, or where none is wanted (NODE_DISABLE_COMPILE_CACHE, as for Node's own), it holds nothing.
 */
export function makeCodeCache(build: string, command: string | undefined): CodeCache {
  const folder = command === undefined ? undefined : findFolder(build);
  if (folder === undefined) return { read: () => undefined, write: () => undefined };
  const path = (name: string): string => join(folder, `${command}-${name}.cache`);
  return { read: (name) => readOwn(path(name)), write: (name, data) => write(folder, path(name), data) };
}

/** V8's data fit one build, one Node and one kind of processor. */
function findFolder(build: string): string | undefined {
  const { env, platform, arch, version } = process;
  const home = (platform === "win32" ? env["USERPROFILE"] : env["HOME"]) ?? "";
  if ((env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "" || !isAbsolute(home)) return undefined;
  // Under `sudo -E` the home is another user's, who couldn't use what root makes there.
  if (process.getuid?.() === 0 && (env["SUDO_UID"] ?? "") !== "") return undefined;
  try {
    return join(findFolders({ env, platform, home }).state, "code", `${build}-${version}-${arch}`);
  } catch {
    // A folder that can't be is told by the command that needs it.
    return undefined;
  }
}

function readOwn(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    // A pipe in its place would be waited for without end. Windows knows no O_NONBLOCK: there it counts as 0.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    const mine = process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o022) === 0);
    return mine && status.isFile() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** One by one: Node's own recursive mkdir never ends where a folder exists and takes none, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Readers see all of it or nothing, also after a power cut: V8 checks little of what it is given. */
function write(folder: string, path: string, data: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  try {
    makeFolder(folder);
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch {
    // The next run tries again.
  }
}
