import { harmless } from "../../../base/text.ts";
import type { Paint, Style } from "../style.ts";

/** Of a line without an end so much is held, in characters. */
const longest = 64 * 1024;

/** A diff for a terminal. */
export async function* paintDiff(diff: AsyncIterable<Uint8Array>, style: Style): AsyncGenerator<string> {
  const painter = new DiffPainter(style);
  for await (const piece of diff) {
    const text = painter.push(piece);
    if (text !== "") yield text;
  }
  yield painter.end();
}

/** Short lines for a terminal, each through `paint`. */
export async function* paintLines(source: AsyncIterable<Uint8Array>, paint: Paint): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of source) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines.map((line) => `${paint(harmless(line))}\n`).join("");
  }
}

/**
 * Makes a diff that comes in pieces fit for a terminal: harmless, and coloured as git does. A line counts as changed only inside
 * of a hunk's announced length, so that what a file holds can't pass for a header, nor a header for content.
 */
class DiffPainter {
  private readonly style: Style;
  private readonly decoder = new TextDecoder();
  private rest = "";
  private oldLeft = 0;
  private newLeft = 0;
  /** Of the line that has begun and not ended yet. */
  private paint: Paint | undefined;

  constructor(style: Style) {
    this.style = style;
  }

  push(bytes: Uint8Array): string {
    return this.take(this.decoder.decode(bytes, { stream: true }));
  }

  /** What is left at the end. */
  end(): string {
    const text = this.take(this.decoder.decode());
    return this.rest === "" ? text : text + this.line(this.rest);
  }

  private take(text: string): string {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    let shown = lines.map((line) => `${this.line(line)}\n`).join("");
    if (this.rest.length > longest) {
      this.paint ??= this.paintOf(this.rest);
      shown += this.paint(harmless(this.rest));
      this.rest = "";
    }
    return shown;
  }

  private line(text: string): string {
    const paint = this.paint ?? this.paintOf(text);
    this.paint = undefined;
    return text === "" ? "" : paint(harmless(text));
  }

  private paintOf(line: string): Paint {
    const { bold, cyan, green, red } = this.style;
    const plain: Paint = (text) => text;
    if (this.oldLeft > 0 || this.newLeft > 0) {
      const mark = line.charAt(0);
      if (mark === "\\") return plain;
      if (mark !== "+") this.oldLeft--;
      if (mark !== "-") this.newLeft--;
      return mark === "+" ? green : mark === "-" ? red : plain;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(line);
    if (hunk === null) return line.startsWith("\\") ? plain : bold;
    this.oldLeft = Number(hunk[1] ?? 1);
    this.newLeft = Number(hunk[2] ?? 1);
    return cyan;
  }
}

/** A line of `--stat`, with the bar in colour. */
export function paintStat(line: string, { green, red }: Style): string {
  return line.replace(
    /( \| +\d+ )(\+*)(-*)$/u,
    (_, count: string, added: string, removed: string) =>
      `${count}${added === "" ? "" : green(added)}${removed === "" ? "" : red(removed)}`,
  );
}
