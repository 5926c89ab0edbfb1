/** A commit object's content, taken apart; all of it one character a byte. */
interface Parts {
  readonly header: readonly string[];
  readonly message: string;
}

function partsOf(raw: Buffer): Parts {
  const text = raw.toString("latin1");
  const end = text.indexOf("\n\n");
  return end < 0
    ? { header: text.split("\n"), message: "" }
    : { header: text.slice(0, end).split("\n"), message: text.slice(end + 2) };
}

export function messageOf(raw: Buffer): Buffer {
  return Buffer.from(partsOf(raw).message, "latin1");
}

/** The encoding that a commit names for its texts; undefined for UTF-8, which needs no naming. */
export function encodingOf(raw: Buffer): string | undefined {
  const name = partsOf(raw)
    .header.find((line) => line.startsWith("encoding "))
    ?.slice("encoding ".length);
  return name === undefined || /^utf-?8$/iu.test(name) ? undefined : name;
}

/** The same commit with another author or message; the same buffer where there is none. `author` as the header has it, a character a byte. */
export function edited(raw: Buffer, { author, message }: { author?: string | undefined; message?: Buffer | undefined }): Buffer {
  const { header, message: own } = partsOf(raw);
  const text = message?.toString("latin1") ?? own;
  if (author === undefined && text === own) return raw;
  const lines = header.map((line) => (author !== undefined && line.startsWith("author ") ? `author ${author}` : line));
  return Buffer.from(`${lines.join("\n")}\n\n${text}`, "latin1");
}

/** The same commit with author and message made UTF-8, and so no encoding; undefined where `toUtf8` makes nothing of one of them. */
export function inUtf8(raw: Buffer, toUtf8: (bytes: Buffer) => Buffer | undefined): Buffer | undefined {
  const { header, message } = partsOf(raw);
  const lines = header
    .filter((line) => !line.startsWith("encoding "))
    .map((line) => (line.startsWith("author ") ? toUtf8(Buffer.from(line, "latin1")) : Buffer.from(line, "latin1")));
  const text = toUtf8(Buffer.from(message, "latin1"));
  if (text === undefined || !lines.every((line) => line !== undefined && !line.includes(10))) return undefined;
  return Buffer.concat([
    ...lines.flatMap((line) => (line === undefined ? [] : [line, Buffer.from("\n")])),
    Buffer.from("\n"),
    text,
  ]);
}
