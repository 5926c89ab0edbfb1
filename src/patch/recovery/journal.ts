import { open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitChild } from "../../git/git.ts";
import type { Before } from "../land/path-check.ts";
import type { RefUpdate } from "../land/transaction.ts";

/** What is about to happen to a working copy, on disk before it does, so that whoever comes next can end it or take it back. */
export interface Plan {
  /** Epoch ms: lock files of this pull are no older. */
  readonly begun: number;
  readonly gitDir: string;
  readonly workTree: string;
  /** Undefined for an unborn branch. */
  readonly old: string | undefined;
  readonly new: string;
  /** All refs of the transaction, HEAD among them. */
  readonly updates: readonly RefUpdate[];
  /** The lock files that the transaction and the index take. */
  readonly locks: readonly string[];
}

/** A journal that was found. */
export interface Left extends Plan {
  readonly children: readonly GitChild[];
  /** What was there before: not ours to take back. Undefined where writing the tree hadn't begun. */
  readonly before: Before | undefined;
}

export class Journal {
  private readonly path: string;

  constructor(ferryFolder: string) {
    this.path = join(ferryFolder, "journal");
  }

  begin(plan: Plan): Promise<void> {
    return this.write("wx", plan);
  }

  /** A git that is about to start on our behalf. */
  child({ pid, startTime }: GitChild): Promise<void> {
    return this.write("a", { child: { pid, startTime } });
  }

  /** The tree is about to be written. */
  writing(before: Before): Promise<void> {
    return this.write("a", { before });
  }

  async end(): Promise<void> {
    await rm(this.path, { force: true });
    await syncFolder(dirname(this.path));
  }

  /** What an earlier pull left; undefined where it ended in order, or hadn't begun: its first line is written before all else. */
  async read(): Promise<Left | undefined> {
    const text = await readFile(this.path, "utf8").catch(missing);
    if (text === undefined) return undefined;
    const [plan, ...notes] = text.split("\n").flatMap(readLine);
    if (plan === undefined) {
      await this.end();
      return undefined;
    }
    const children = notes.flatMap((note) => (note.child === undefined ? [] : [note.child]));
    return { ...(plan as unknown as Plan), children, before: notes.find((note) => note.before !== undefined)?.before };
  }

  private async write(flag: "wx" | "a", line: object): Promise<void> {
    const file = await open(this.path, flag, 0o600);
    try {
      await file.writeFile(`${JSON.stringify(line)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (flag === "wx") await syncFolder(dirname(this.path));
  }
}

interface Note {
  readonly child?: GitChild;
  readonly before?: Before;
}

/** The last line may be torn: what it told of had not begun yet. */
function readLine(line: string): Note[] {
  try {
    return [JSON.parse(line) as Note];
  } catch {
    return [];
  }
}

/** Makes the name itself last. Windows can't open a folder, and needn't. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(String(error.code)))) throw error;
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
