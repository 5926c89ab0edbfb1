import { constants, existsSync } from "node:fs";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitChild } from "../../git/git.ts";
import type { Clock } from "../../host/host.ts";
import type { Before } from "../land/path-check.ts";
import type { ChildNotes } from "../land/working-copy.ts";
import type { RefUpdate } from "../land/transaction.ts";
import { asideFolder } from "./aside.ts";
import { foreignNoteError, noted, placesNow } from "./places.ts";

/** What is about to happen to a working copy, on disk before it does, so that whoever comes next can end it or take it back. */
export interface Plan {
  /** On disk this and the locks are named from the common folder on (places.ts). */
  readonly gitDir: string;
  /** Where it was when this was written. */
  readonly workTree: string;
  /** Undefined for an unborn branch, and for one that stays so. */
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** The commit of a cherry-pick that is to stop there; `new` is then the tree that it leaves, and HEAD stays. */
  readonly stop?: string | undefined;
  /** The trees that the working tree goes from and to, where these aren't those of the commits; and the index, likewise. */
  readonly overlay?: (FromTo & { readonly index?: FromTo | undefined }) | undefined;
  /** All refs of the transaction, HEAD among them. */
  readonly updates: readonly RefUpdate[];
  /** The lock files that each kind of git takes. */
  readonly locks: Readonly<Record<ChildKind, readonly string[]>>;
}

interface FromTo {
  readonly old: string;
  readonly new: string;
}

/** What it works on; `tree` is the working tree alone, by an index of our own. */
export type ChildKind = "refs" | "index" | "tree";

/** A git that works on our behalf. */
export interface JournalChild extends GitChild {
  readonly kind: ChildKind;
  /** When it was about to start, in epoch ms. */
  readonly at: number;
}

/** A journal that was found. */
export interface Left extends Plan {
  /** Those that aren't known to have ended by themselves. */
  readonly children: readonly JournalChild[];
  /** What was there before: not ours to take back. Undefined where writing the tree hadn't begun. */
  readonly before: Before | undefined;
}

const create = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
/** Never makes the file: a note behind the end would be a journal of its own. */
const append = constants.O_APPEND | constants.O_WRONLY;

export class Journal {
  private readonly path: string;
  private readonly commonDir: string;
  private readonly aside: string;
  private readonly picked: string;
  private readonly clock: Clock;

  constructor(ferryFolder: string, clock: Clock) {
    this.path = join(ferryFolder, "journal");
    this.commonDir = dirname(ferryFolder);
    this.aside = asideFolder(ferryFolder);
    this.picked = join(ferryFolder, "picked");
    this.clock = clock;
  }

  begin(plan: Plan): Promise<void> {
    return this.write(
      create,
      placed(plan, (path) => noted(path, this.commonDir)),
    );
  }

  /** Notes the children of a kind. */
  children(kind: ChildKind): ChildNotes {
    return {
      starting: ({ pid, startTime }) => this.write(append, { child: { pid, startTime, kind, at: this.clock.now() } }),
      ended: ({ pid }) => this.write(append, { ended: pid }),
    };
  }

  /** Makes the folder for the files that go out of the working tree, or are kept by a second name, till the end. Gives its path. */
  async makeAside(): Promise<string> {
    await rm(this.aside, { recursive: true, force: true });
    await mkdir(this.aside, { mode: 0o700 });
    return this.aside;
  }

  /** Makes the folder for the files of a cherry-pick that is to stop; it is there as long as they haven't all come. Gives its path. */
  async makePicked(): Promise<string> {
    await this.dropPicked();
    const files = join(this.picked, "files");
    await mkdir(files, { recursive: true, mode: 0o700 });
    return files;
  }

  /** Where the index is kept as it was before the cherry-pick. */
  get pickedIndex(): string {
    return join(this.picked, "index");
  }

  async dropPicked(): Promise<void> {
    await rm(this.picked, { recursive: true, force: true });
  }

  /** Whether the files of a cherry-pick haven't all come. */
  hasPicked(): boolean {
    return existsSync(this.picked);
  }

  /** The working tree is about to be written; `picked`: with this tree, which nobody knew before. */
  async writing(before: Before, picked?: string): Promise<void> {
    await syncFolder(this.aside);
    await syncFolder(dirname(this.aside));
    await this.write(append, { before, picked });
  }

  async end(): Promise<void> {
    // First: nobody would look for them without a journal, and where all is taken back or done none is missed.
    await rm(this.aside, { recursive: true, force: true });
    await this.dropPicked();
    await rm(this.path, { force: true });
    await syncFolder(dirname(this.path));
  }

  /**
   * What an earlier pull left; undefined where it ended in order, or hadn't begun: its first line is written before all else.
   * @throws FerryError attention where it is of no working copy of this repository
   */
  async read(): Promise<Left | undefined> {
    const text = await readFile(this.path, "utf8").catch(missing);
    if (text === undefined) return undefined;
    const [plan, ...notes] = text.split("\n").flatMap(readLine);
    if (plan === undefined || !("workTree" in plan)) {
      await this.end();
      return undefined;
    }
    const ended = new Set(notes.map((note) => note.ended));
    const children = notes.flatMap(({ child }) => (child === undefined || ended.has(child.pid) ? [] : [child]));
    const writing = notes.find((note) => note.before !== undefined);
    const placed = this.placeNow(plan as unknown as Plan);
    return { ...placed, new: writing?.picked ?? placed.new, children, before: writing?.before };
  }

  private placeNow(plan: Plan): Plan {
    const { gitDir, locks } = plan;
    const now = placesNow({ gitDir, locks: Object.values(locks).flat() }, this.commonDir);
    if (now === undefined) throw foreignNoteError(gitDir, { note: this.path, aside: this.aside });
    return placed(plan, now);
  }

  private async write(flag: number, line: object): Promise<void> {
    const file = await open(this.path, flag, 0o600);
    try {
      await file.writeFile(`${JSON.stringify(line)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (flag === create) await syncFolder(dirname(this.path));
  }
}

function placed(plan: Plan, where: (path: string) => string): Plan {
  const { refs, index, tree } = plan.locks;
  const locks = { refs: refs.map(where), index: index.map(where), tree: tree.map(where) };
  return { ...plan, gitDir: where(plan.gitDir), locks };
}

interface Note {
  readonly child?: JournalChild;
  readonly ended?: number;
  readonly before?: Before;
  readonly picked?: string;
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
    if (!(error instanceof Error && "code" in error && ["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(String(error.code))))
      throw error;
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
