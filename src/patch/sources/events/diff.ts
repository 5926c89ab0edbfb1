import { Unfit } from "./unfit.ts";

/** A unified diff of one file, one character a byte. */
export interface FileDiff {
  /** As git writes it, where the diff says it: `100644`, `100755`, `120000`. */
  readonly newMode: string | undefined;
  readonly oldId: string | undefined;
  readonly newId: string | undefined;
  /** Names in `---` and `+++`, as they stand there. */
  readonly names: readonly string[];
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly HunkLine[];
}

interface HunkLine {
  readonly kind: " " | "+" | "-";
  /** With its line break, unless the file ends without one there. */
  readonly text: string;
}

const limit = 64 * 1024 * 1024;

/** Lines that may stand before the first hunk; git-diff(1), "Generating patch text with -p", and what diff and svn write. */
const header =
  /^(diff --git |index [0-9a-f]+\.\.[0-9a-f]+( [0-7]{6})?$|(old|new|new file|deleted file) mode [0-7]{6}$|(dis)?similarity index |(rename|copy) (from|to) |--- |\+\+\+ |Index: |={10,}$)/u;

/**
 * Reads a diff, and takes nothing for granted: whole hunks with the counts that they say, of one file, of text.
 * @throws Unfit with what is wrong
 */
export function parseDiff(text: string): FileDiff {
  if (text.length > limit) throw new Unfit(`its diff is longer than ${limit} bytes`);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const start = lines.findIndex((line) => line.startsWith("@@"));
  const head = start < 0 ? lines : lines.slice(0, start);
  checkHeader(head);
  const hunks: Hunk[] = [];
  for (let at = head.length; at < lines.length;) {
    const { hunk, end } = readHunk(lines, at);
    hunks.push(hunk);
    at = end;
  }
  const told = (pattern: RegExp): string | undefined =>
    head.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
  return {
    newMode: told(/^new (?:file )?mode (\d+)$/u),
    oldId: told(/^index ([0-9a-f]+)\.\./u),
    newId: told(/^index [0-9a-f]+\.\.([0-9a-f]+)/u),
    names: head.flatMap((line) => /^(?:---|\+\+\+) ([^\t\r]*)/u.exec(line)?.[1] ?? []),
    hunks,
  };
}

function checkHeader(head: readonly string[]): void {
  if (head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"))
    throw new Unfit("its diff is of a binary file");
  const odd = head.find((line) => !header.test(line));
  if (odd !== undefined) throw new Unfit(odd.startsWith("\\") ? "its diff is cut off" : "its diff is none");
  for (const once of ["diff --git ", "--- ", "+++ "])
    if (head.filter((line) => line.startsWith(once)).length > 1) throw new Unfit("its diff is of several files");
}

function readHunk(lines: readonly string[], at: number): { hunk: Hunk; end: number } {
  const [, ...numbers] = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/u.exec(lines[at] ?? "") ?? [];
  const [oldStart, oldCount, newStart, newCount] = numbers.map((number: string | undefined) => Number(number ?? 1));
  if (oldStart === undefined || oldCount === undefined || newStart === undefined || newCount === undefined)
    throw new Unfit(/^(diff --git |--- )/u.test(lines[at] ?? "") ? "its diff is of several files" : "its diff can't be read");
  const body: HunkLine[] = [];
  let [old, added] = [oldCount, newCount];
  let end = at + 1;
  for (; old > 0 || added > 0; end++) {
    const line = lines[end];
    // Editors take the blank off an empty line of context.
    const kind = line === "" ? " " : line?.charAt(0);
    if (line?.startsWith("\\") === true) {
      endWithoutBreak(body, line);
      continue;
    }
    if (line === undefined || (kind !== " " && kind !== "+" && kind !== "-")) throw new Unfit("its diff is cut off");
    if (kind !== "-") added--;
    if (kind !== "+") old--;
    if (old < 0 || added < 0) throw new Unfit("its diff has other lines than it counts");
    body.push({ kind, text: `${line.slice(1)}\n` });
  }
  if (lines[end]?.startsWith("\\") === true) endWithoutBreak(body, lines[end++] ?? "");
  return { hunk: { oldStart, oldCount, newStart, newCount, lines: body }, end };
}

function endWithoutBreak(body: HunkLine[], line: string): void {
  const last = body.pop();
  if (last === undefined || line !== "\\ No newline at end of file") throw new Unfit("its diff is cut off");
  body.push({ ...last, text: last.text.slice(0, -1) });
}

/** The bytes that stand for what was no text: U+FFFD in UTF-8. */
const replacement = "\xef\xbf\xbd";

/**
 * What a file becomes by a diff, without any fuzz: each line stands where the diff says and is what it says.
 * @throws Unfit where one isn't
 */
export function applyDiff({ hunks }: FileDiff, content: string): string {
  const lines = content === "" ? [] : content.split(/(?<=\n)/u);
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (start < at || start > lines.length) throw new Unfit(`its diff doesn't fit at line ${hunk.oldStart}`);
    for (const line of lines.slice(at, start)) result.push(line);
    at = start;
    if (result.length !== (hunk.newCount === 0 ? hunk.newStart : hunk.newStart - 1))
      throw new Unfit(`its diff counts line ${hunk.newStart} otherwise`);
    for (const { kind, text } of hunk.lines) {
      if (kind !== "+" && lines[at++] !== text) throw new Unfit(`its diff doesn't fit: line ${at} is another`);
      if (kind === "+" && text.includes(replacement)) throw new Unfit("its diff has bytes that were no text");
      if (kind !== "-") result.push(text);
    }
  }
  for (const line of lines.slice(at)) result.push(line);
  if (result.slice(0, -1).some((line) => !line.endsWith("\n"))) throw new Unfit("its diff ends a file in its middle");
  return result.join("");
}
