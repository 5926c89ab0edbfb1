import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Git, GitProcess } from "../../git/git.ts";
import { gitError } from "../../git/runner.ts";
import type { Quarantine } from "../quarantine.ts";

const args = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"];

/** Writes commit objects one after the other, each there before the next is thought of, by one `git hash-object`. */
export class CommitWriter {
  private readonly process: GitProcess;
  private readonly lines: Interface;
  private readonly answers: AsyncIterator<string>;
  private readonly file: string;

  private constructor(process: GitProcess, file: string) {
    this.process = process;
    this.file = file;
    this.lines = createInterface({ input: process.stdout });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  static async open(git: Git, quarantine: Quarantine, signal: AbortSignal): Promise<CommitWriter> {
    return new CommitWriter(await git.stream(args, { ...quarantine.options, signal }), join(quarantine.folder, "commit"));
  }

  /** Gives its id. @throws FerryError failure for what git doesn't take for a commit */
  async write(content: Uint8Array): Promise<string> {
    await writeFile(this.file, content);
    this.process.stdin.write(`${this.file}\n`);
    const answer = await this.answers.next();
    if (answer.done === true) throw gitError(args, await this.process.exit);
    return answer.value;
  }

  async close(): Promise<void> {
    this.lines.close();
    this.process.stdin.end();
    await this.process.exit;
  }
}
