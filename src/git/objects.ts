import { FerryError } from "../base/errors.ts";
import type { Git, GitProcess, GitStreamOptions } from "./git.ts";
import { gitError } from "./runner.ts";

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Reads objects by name over one `git cat-file --batch`, one after the other. Must be closed. */
export class ObjectReader {
  private readonly git: GitProcess;
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  private constructor(git: GitProcess) {
    this.git = git;
    this.chunks = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  static async open(git: Git, options: GitStreamOptions): Promise<ObjectReader> {
    return new ObjectReader(await git.stream(["cat-file", "--batch"], options));
  }

  /** `name` is an id or an expression such as `<commit>:<path>`, one character a byte. Undefined where there is no such object. */
  async read(name: string, limit: number): Promise<GitObject | undefined> {
    if (name.includes("\n")) return undefined;
    this.ask([name]);
    return this.answer(limit);
  }

  /** Asks for objects, whose answers will come in this order, after those to what was asked before. No name has a line break. */
  ask(names: readonly string[]): void {
    this.git.stdin.write(Buffer.from(names.map((name) => `${name}\n`).join(""), "latin1"));
  }

  /** The answer to the first question that has none yet. @throws FerryError failure, code `too_large`, which ends the reader */
  async answer(limit: number): Promise<GitObject | undefined> {
    const header = await this.line();
    const [id = "", type = "", size] = header.split(" ");
    if (size === undefined || !/^\d+$/u.test(size) || header.endsWith(" missing")) return undefined;
    if (Number(size) > limit) {
      // It would wait for ever for somebody to read the content.
      this.git.kill();
      throw new FerryError("failure", `object ${id} is larger than ${limit} bytes`, { code: "too_large" });
    }
    const content = await this.bytes(Number(size));
    await this.bytes(1);
    return { id, type, content };
  }

  async close(): Promise<void> {
    this.git.stdin.end();
    const { code, stderr } = await this.git.exit;
    if (code !== 0) throw gitError(["cat-file"], { code, stderr });
  }

  /** Ends it, whatever it was asked and hasn't answered yet. */
  async abandon(): Promise<void> {
    this.git.kill();
    // What nobody reads would keep it from being over.
    this.git.stdout.destroy();
    await this.git.exit;
  }

  private async line(): Promise<string> {
    let end = this.rest.indexOf(10);
    while (end < 0) {
      this.rest = Buffer.concat([this.rest, await this.more()]);
      end = this.rest.indexOf(10);
    }
    return (await this.bytes(end + 1)).subarray(0, -1).toString("latin1");
  }

  private async bytes(size: number): Promise<Buffer> {
    if (this.rest.length < size) {
      const pieces = [this.rest];
      for (let have = this.rest.length; have < size;) {
        const piece = await this.more();
        pieces.push(piece);
        have += piece.length;
      }
      this.rest = Buffer.concat(pieces);
    }
    const taken = this.rest.subarray(0, size);
    this.rest = this.rest.subarray(size);
    return taken;
  }

  private async more(): Promise<Buffer> {
    const next = await this.chunks.next();
    if (next.done === true) throw gitError(["cat-file"], await this.git.exit);
    return next.value;
  }
}
