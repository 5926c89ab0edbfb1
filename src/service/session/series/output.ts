import { FerryError } from "../../../base/errors.ts";
import type { Git, GitStreamOptions } from "../../../git/git.ts";

/**
 * What a git prints, as it comes: nothing is held. `input` is written to it at once, so it must be small.
 * @throws FerryError failure, at the end, where git failed
 */
export async function* gitOutput(
  git: Git,
  args: readonly string[],
  options: GitStreamOptions,
  input = "",
): AsyncGenerator<Buffer> {
  const child = await git.stream(args, options);
  try {
    child.stdin.end(input);
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const { code, stderr } = await child.exit;
    if (code !== 0)
      throw new FerryError("failure", `git ${args[0] ?? ""}: ${stderr.toString("utf8").trim().split("\n").at(-1) ?? ""}`);
  } finally {
    child.kill();
  }
}

/** A piece of a section's bytes; `section` counts from 0. */
export interface Piece {
  readonly section: number;
  readonly bytes: Buffer;
}

/**
 * Cuts a stream into sections, each of which begins with a line that is known before. Memory is flat, however long a line or a
 * section is.
 * @throws FerryError failure where not all of them come, in order, or something comes before them
 */
export async function* sections(stream: AsyncIterable<Buffer>, firstLines: readonly string[]): AsyncGenerator<Piece> {
  let section = -1;
  // Its first byte was given out already: it says whether a line begins behind it.
  let rest = Buffer.from("\n");
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (let at = find(rest, firstLines[section + 1]); at !== -1; at = find(rest, firstLines[section + 1])) {
      if (at > 0) yield piece(section, rest.subarray(1, at + 1));
      section++;
      rest = rest.subarray(at);
    }
    // What may be the beginning of the next first line waits for the rest of it.
    const end = rest.length - (firstLines[section + 1]?.length ?? 0) - 1;
    if (end > 1) {
      yield piece(section, rest.subarray(1, end));
      rest = rest.subarray(end - 1);
    }
  }
  if (rest.length > 1) yield piece(section, rest.subarray(1));
  if (section !== firstLines.length - 1) throw new FerryError("failure", "git told of fewer commits than it was asked for");
}

function find(buffer: Buffer, firstLine: string | undefined): number {
  return firstLine === undefined ? -1 : buffer.indexOf(`\n${firstLine}\n`);
}

function piece(section: number, bytes: Buffer): Piece {
  if (section < 0) throw new FerryError("failure", "git told of something else than it was asked for");
  return { section, bytes };
}
