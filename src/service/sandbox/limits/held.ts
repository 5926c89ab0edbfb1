import { readdirSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { unescaped } from "../oci/mounts.ts";
import { run } from "../processes/run.ts";
import type { ProcessEntry } from "../processes/table.ts";
import { type DiskUse, leastBytes } from "./lying.ts";

/** What a look may take at most: an agent can have descriptors and mappings by the million. */
const seconds = 5;
/** More files without a name than any honest program holds, in lines as they are found. */
const most = 100_000;

/** What is held on the disk, by the number of its inode, in bytes. */
type Held = Map<string, number>;

/**
 * What processes hold of files on `folder`'s file system that have no name any more, open or mapped: nobody finds them in a folder, and the
 * disk has them until their last holder lets go. Whatever of it can't be read (another user's, a process that ends) is left out; `hidden`
 * is that there is too much to look through.
 */
export async function heldBy(members: readonly ProcessEntry[], folder: string): Promise<DiskUse> {
  const processes = members.map(({ pid }) => threadFolders(pid)).filter((threads) => threads.length > 0);
  if (processes.length === 0) return { bytes: 0, hidden: false };
  // Threads may each have descriptors of their own (CLONE_FILES, clone(2)); their memory is one, but a first one that ended has none.
  const threads = processes.flat().map((thread) => `${thread}/fd`);
  const memories = processes.map((threads) => `${threads.at(-1) ?? ""}/maps`);
  const [open, mapped] = await Promise.all([look(findOpen, threads), look(findMapped, memories)]);
  const held = openFiles(open.lines, (await stat(folder)).dev);
  if (mapped.lines.length > 0) await addMapped(held, mappings(mapped.lines, await deviceOf(folder)));
  const bytes = [...held.values()].reduce((sum, size) => sum + Math.max(size, leastBytes), 0);
  return { bytes, hidden: open.hidden || mapped.hidden };
}

function threadFolders(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    // It ended meanwhile.
    return [];
  }
}

const findOpen = `find -L "$@" -maxdepth 1 -type f -links 0 -exec stat -L -c "%d %i %b %h" {} + 2>/dev/null`;
/** Without the path, which may be long. */
const findMapped = `grep -a -s -H "(deleted)$" "$@" | cut -c -160`;

/** Runs a script over paths as a process of its own, so that nothing waits for it here. */
async function look(script: string, paths: readonly string[]): Promise<{ lines: string[]; hidden: boolean }> {
  const { code, stdout } = await run(["timeout", String(seconds), "sh", "-c", `${script} | head -n ${most}`, "sh", ...paths]);
  const lines = stdout.split("\n").slice(0, -1);
  return { lines, hidden: code !== 0 || lines.length === most };
}

/** Lines of device, inode, blocks and links: another file may have taken the descriptor meanwhile. */
function openFiles(lines: readonly string[], device: number): Held {
  const files = lines.map((line) => line.split(" "));
  const ours = files.filter(([on, , , links]) => Number(on) === device && links === "0");
  return new Map(ours.map(([, inode = "", blocks]) => [inode, Number(blocks) * 512]));
}

interface Mapping {
  /** Its link, which leads to the file. */
  readonly link: string;
  /** Where in the file it ends. */
  readonly end: number;
}

/** Lines of proc_pid_maps(5) by inode, one that reaches furthest for each. */
function mappings(lines: readonly string[], device: string): Map<string, Mapping> {
  const found = new Map<string, Mapping>();
  for (const line of lines) {
    const [, pid, from = "", to = "", offset = "", major = "", minor = "", inode = ""] = pattern.exec(line) ?? [];
    if (`${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)}` !== device) continue;
    const end = Number.parseInt(offset, 16) + Number.parseInt(to, 16) - Number.parseInt(from, 16);
    if (end > (found.get(inode)?.end ?? 0)) found.set(inode, { link: `/proc/${pid}/map_files/${from}-${to}`, end });
  }
  return found;
}

const pattern = /^\/proc\/(\d+)\/task\/\d+\/maps:0*([\da-f]+)-0*([\da-f]+) \S+ ([\da-f]+) ([\da-f]+):([\da-f]+) (\d+) /;

/** Adds what isn't open as well. Only root may follow the links (proc_pid_map_files(5)); else a file counts as far as it is mapped. */
async function addMapped(held: Held, found: ReadonlyMap<string, Mapping>): Promise<void> {
  const closed = [...found].filter(([inode]) => !held.has(inode));
  const add = async ([inode, { link, end }]: [string, Mapping]): Promise<void> => {
    const status = await stat(link).catch(() => undefined);
    // One whose own name ends like that is in its folder, and counted there.
    if (status === undefined || status.nlink === 0) held.set(inode, status === undefined ? end : status.blocks * 512);
  };
  await Promise.all(closed.map(add));
}

/** The device of a folder's file system as mappings have it, which isn't that of stat(2) everywhere (btrfs). */
async function deviceOf(folder: string): Promise<string> {
  const path = `${await realpath(folder)}/`;
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").slice(0, -1);
  let [device, length] = ["", 0];
  for (const [, , on = "", , mountPoint = ""] of lines.map((line) => line.split(" "))) {
    const point = `${unescaped(mountPoint)}/`.replace("//", "/");
    // Of several at one place the last is seen.
    if (path.startsWith(point) && point.length >= length) [device, length] = [on, point.length];
  }
  return device;
}
