import type { Git, GitProcess } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";

export interface Merge {
  readonly isClean: boolean;
  /** With markers in it, where it isn't clean. */
  readonly tree: string;
  /** Where both sides changed the same. */
  readonly paths: readonly string[];
}

/** merge.directoryRenames is set outright: the user's own setting must not decide which commits come. */
const args = ["-c", "merge.directoryRenames=conflict", "merge-tree", "--write-tree", "--stdin", "--name-only", "--no-messages"];

/**
 * Three-way merges of trees, one after the other, by one `git merge-tree --stdin`. It holds its answers back until its buffer is
 * full or its input ends, while the next question depends on them: so each question but the last is followed by one with a long
 * answer, which is thrown away.
 */
export class Merges {
  private readonly git: Git;
  private readonly quarantine: Quarantine;
  private readonly process: GitProcess;
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly answers: Merge[] = [];
  private fields: string[] = [];
  private rest = "";
  private unread = 0;
  private isPadded = false;

  private constructor(git: Git, quarantine: Quarantine, process: GitProcess) {
    this.git = git;
    this.quarantine = quarantine;
    this.process = process;
    this.chunks = process.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  static async open(git: Git, quarantine: Quarantine, signal: AbortSignal): Promise<Merges> {
    return new Merges(git, quarantine, await git.stream(args, { ...quarantine.options, signal }));
  }

  /** Of two commits, on what their histories have in common. @throws FerryError failure where git can't */
  async merge(ours: string, theirs: string, isLast: boolean): Promise<Merge> {
    const skipped = this.unread;
    if (!isLast) await this.preparePadding();
    const question = `${ours} ${theirs}\n`;
    if (isLast) this.process.stdin.end(question);
    else this.process.stdin.write(question + `${paddingOurs} ${paddingTheirs}\n`.repeat(paddings));
    this.unread = isLast ? 0 : paddings;
    while (this.answers.length <= skipped) await this.readMore();
    const [answer] = this.answers.splice(0, skipped + 1).slice(-1);
    if (answer === undefined) throw gitError(args, await this.process.exit);
    return answer;
  }

  /** Ends it, whatever it still had to say. */
  async close(): Promise<void> {
    this.process.kill();
    // What nobody reads would keep it from being over.
    this.process.stdout.destroy();
    await this.process.exit;
  }

  private async readMore(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done === true) throw gitError(args, await this.process.exit);
    const parts = (this.rest + next.value.toString("latin1")).split("\0");
    this.rest = parts.pop() ?? "";
    for (const part of parts) this.take(part);
  }

  /** git-merge-tree(1), "INPUT FORMAT" and "OUTPUT": a status, the tree, the paths in conflict, an empty field. */
  private take(field: string): void {
    if (field !== "" || this.fields.length < 2) {
      this.fields.push(field);
      return;
    }
    const [status, tree = "", ...paths] = this.fields;
    this.answers.push({ isClean: status === "1", tree, paths: [...new Set(paths)] });
    this.fields = [];
  }

  private async preparePadding(): Promise<void> {
    if (this.isPadded) return;
    await this.git.ok(["fast-import", "--quiet", "--done"], { ...this.quarantine.options, input: padding() });
    this.isPadded = true;
  }
}

const paddingOurs = "refs/heads/padding-ours";
const paddingTheirs = "refs/heads/padding-theirs";
/** Together longer than what any C library buffers for a pipe. */
const paddings = 2;
const paddingPath = "p".repeat(60_000);

/** Two commits that change the same file, whose name is long: the answer names it. */
function padding(): string {
  const commit = (ref: string, content: string, from: string) =>
    `commit ${ref}\ncommitter ferry <ferry@localhost> 1767225600 +0000\ndata 0\n${from}M 100644 inline ${paddingPath}\ndata 1\n${content}\n\n`;
  const base = "refs/heads/padding";
  const from = `from ${base}\n`;
  return `${commit(base, "0", "")}${commit(paddingOurs, "1", from)}${commit(paddingTheirs, "2", from)}done\n`;
}
