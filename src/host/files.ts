import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FerryError, systemReason, UnwritableError } from "../base/errors.ts";
import { chmod, close, fchmod, fsync, link, lstat, mkdir, mkdtemp, open } from "./fs.ts";
import { read, readdir, readFile, readlink, realpath, rename, rm, stat, symlink, writeFile } from "./fs.ts";
import type { Files, FileStatus } from "./host.ts";
import { randomBytes } from "./random.ts";

/** So many bytes are read in one go. */
const atOnce = 16_384;

/**
 * The files of this machine. What a command looks at before it calls a service (where a small file is, whose it is, what is in it) is
 * asked for at once, and not by Node's threads: those take longer to start than all of that.
 */
export const systemFiles: Files = {
  read: (path, limit) => readWhole(path, limit).catch(unreadable(path)),
  readText: async (path) => attempt(() => readRegular(path), unreadable(path)),
  write: replace,
  create,
  async append(path, data, mode = 0o600) {
    await makeFolder(dirname(path));
    try {
      await put(path, "a", data, mode);
    } catch (error) {
      throw new UnwritableError(path, error);
    }
  },
  makeFolder,
  async shut(path) {
    const isShut = async (): Promise<boolean> => ((await lstat(path)).mode & 0o077) === 0;
    const found = await lstat(path);
    if (found.isSymbolicLink() || found.uid !== process.getuid?.()) return false;
    if (await isShut()) return true;
    // What is read-only, or has no modes, stays as it is.
    await chmod(path, found.mode & 0o700).catch(() => undefined);
    return isShut();
  },
  list: async (path) => (await readdir(path).catch(absent)) ?? [],
  status: async (path) => {
    const found = attempt(() => lstatSync(path), absent);
    if (found === undefined) return undefined;
    const kind: FileStatus["kind"] = found.isFile()
      ? "file"
      : found.isDirectory()
        ? "folder"
        : found.isSymbolicLink()
          ? "link"
          : "other";
    return { kind, size: found.size, mode: found.mode & 0o7777, uid: found.uid, modified: found.mtimeMs };
  },
  realPath: async (path) => attempt(() => realpathSync.native(path), unreadable(path)),
  target,
  remove: (path) => rm(path, { recursive: true, force: true }).catch(absent),
  rename,
  double,
  async link(path, to) {
    await rm(path, { force: true });
    await symlink(to, path).catch(() => undefined);
  },
  makeTemporaryFolder: (prefix) => mkdtemp(join(tmpdir(), prefix)),
  makeSpool: async () => (await import("./spool.ts")).makeSpool(tmpdir()),
};

/** Waits for who writes into a pipe, and takes what a device has up to the limit. */
async function readWhole(path: string, limit: number | undefined): Promise<Buffer> {
  if (limit === undefined) return readFile(path);
  const file = await open(path, "r");
  try {
    return await readAll(file, limit);
  } finally {
    await close(file);
  }
}

/** Never waits for who may or may not write into a pipe, nor takes what a device has without end. */
function readRegular(path: string): string {
  // Windows knows no O_NONBLOCK: there it is undefined, which counts as 0.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    // A folder says so itself, when it is read.
    if (!status.isFile() && !status.isDirectory()) throw new Error("it is no regular file");
    return allOf(file).toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** Not by `readFileSync`, as below. */
function allOf(file: number): Buffer {
  const parts: Buffer[] = [];
  for (;;) {
    const buffer = Buffer.allocUnsafe(atOnce);
    const size = readSync(file, buffer, 0, atOnce, null);
    if (size === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, size));
  }
}

function attempt<T, Otherwise>(work: () => T, otherwise: (error: unknown) => Otherwise): T | Otherwise {
  try {
    return work();
  } catch (error) {
    return otherwise(error);
  }
}

/** Not by `fs.readFile`: given a descriptor, Node 20's takes an error of the reading for the end. */
async function readAll(file: number, limit = Infinity): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; ;) {
    const { bytesRead, buffer } = await read(file, Buffer.allocUnsafe(atOnce), 0, atOnce, null);
    if (bytesRead === 0) return Buffer.concat(parts);
    size += bytesRead;
    if (size > limit) throw new FerryError("usage", `it is longer than ${limit} bytes`);
    parts.push(buffer.subarray(0, bytesRead));
  }
}

/** Readers see the old file or the whole new one, also after a power cut. */
async function replace(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  await makeFolder(dirname(path));
  const temporary = temporaryOf(path);
  try {
    await put(temporary, "wx", data, mode);
    await rename(temporary, path);
  } catch (error) {
    // In a folder that can't be entered, not even that can be asked.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new UnwritableError(path, error);
  }
}

/** Whole or not at all, also where we are killed in between: an empty lock would be one that nobody holds. */
async function create(path: string, data: string | Uint8Array, mode = 0o600): Promise<boolean> {
  await makeFolder(dirname(path));
  if ((await lstat(path).catch(absent)) !== undefined) return false;
  const temporary = temporaryOf(path);
  try {
    await put(temporary, "wx", data, mode);
    // Not every file system has hard links, and each says so in its own way.
    await link(temporary, path).catch((error: unknown) => {
      if (codeOf(error) === "EEXIST") throw error;
      return put(path, "wx", data, mode);
    });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw new UnwritableError(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function double(from: string, to: string): Promise<void> {
  const found = await lstat(from);
  try {
    // Of a link, some systems' hard links lead to what it leads to.
    if (found.isSymbolicLink()) await symlink(await readlink(from), to);
    else await link(from, to);
  } catch (error) {
    if (found.isSymbolicLink() || codeOf(error) === "EEXIST") throw new UnwritableError(to, error);
    await replace(to, await readFile(from), found.mode & 0o7777);
  }
}

/** A circle of links ends it. */
async function target(path: string): Promise<string> {
  const real = await realpath(path).catch(unreadable(path));
  if (real !== undefined) return real;
  const next = await readlink(path).catch(absent);
  return next === undefined ? path : target(resolve(await realpath(dirname(path)), next));
}

function temporaryOf(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}`;
}

/** One by one: Node's own recursive mkdir never ends where a folder exists and takes none, such as /proc. */
async function makeFolder(path: string, mode = 0o700): Promise<void> {
  if (await isFolder(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path), mode);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Another may have been faster.
    if (!(await isFolder(path))) throw new UnwritableError(path, error);
  }
}

/** Also through a link. What can't even be looked at is none; the attempt to make it says why. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}

async function put(path: string, flags: string, data: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, flags, mode);
  try {
    // The mode given to open counts only for a new file, and less the umask.
    if (flags !== "a") await fchmod(file, mode);
    await writeFile(file, data);
    await fsync(file);
  } catch (error) {
    // A full disk leaves a file that is empty: a lock that nobody holds.
    if (flags === "wx") await rm(path, { force: true });
    throw error;
  } finally {
    await close(file);
  }
}

/** Node names no path where it is the reading that fails and not the opening. */
function unreadable(path: string): (error: unknown) => undefined {
  return (error) => {
    if (isAbsence(error)) return undefined;
    const reason = codeOf(error) === "EISDIR" ? "it is a folder" : systemReason(error);
    throw new FerryError("failure", `can't read ${path}: ${reason}`, { cause: error });
  };
}

function absent(error: unknown): undefined {
  if (isAbsence(error)) return undefined;
  throw error;
}

function isAbsence(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
