import * as fs from "node:fs";
import { promisify } from "node:util";

// What files need of `node:fs/promises`, which brings streams and readline along: Node takes longer to load those than a short
// command takes for all that it does.
export const access = promisify(fs.access);
export const chmod = promisify(fs.chmod);
export const close = promisify(fs.close);
export const fchmod = promisify(fs.fchmod);
export const fsync = promisify(fs.fsync);
export const link = promisify(fs.link);
export const lstat = promisify(fs.lstat);
export const mkdir = promisify(fs.mkdir);
export const mkdtemp = promisify(fs.mkdtemp);
export const open = promisify(fs.open);
export const read = promisify(fs.read);
export const readdir = promisify(fs.readdir);
export const readFile = promisify(fs.readFile);
export const readlink = promisify(fs.readlink);
export const realpath = promisify(fs.realpath.native);
export const rename = promisify(fs.rename);
export const rm = promisify(fs.rm);
export const symlink = promisify(fs.symlink);
export const stat = promisify(fs.stat);
export const writeFile = promisify(fs.writeFile);
