/** What this engine makes nothing of: said and left to `git am`, which judges it by its own rules. */
export class Unreadable extends Error {}

const lineFeed = 10;

/** A place in the bytes of a diff that moves forward line by line. */
export class Cursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Whether the line here begins so; `text` is ASCII. */
  startsWith(text: string): boolean {
    if (this.bytes[this.at] !== text.charCodeAt(0)) return false;
    return this.bytes.toString("latin1", this.at, this.at + text.length) === text;
  }

  /** Where this line's line feed is. @throws Unreadable where there is none: git ends each line of a diff with one */
  lineEnd(): number {
    const end = this.bytes.indexOf(lineFeed, this.at);
    if (end < 0) throw new Unreadable("it ends within a line");
    return end;
  }

  /** This line without its line feed, one character a byte; the cursor is behind it then. */
  line(): string {
    const end = this.lineEnd();
    const text = this.bytes.toString("latin1", this.at, end);
    this.at = end + 1;
    return text;
  }

  /** What follows `prefix` on this line; undefined, and no move, where the line begins otherwise. */
  after(prefix: string): string | undefined {
    return this.startsWith(prefix) ? this.line().slice(prefix.length) : undefined;
  }
}
