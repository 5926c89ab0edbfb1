import type { Mail } from "../series/mails.ts";
import { caps, lie, short } from "../series/series.ts";
import { Unsuited } from "./engine.ts";
import { blockSize } from "./exact/binary.ts";
import { Cursor, Unreadable } from "./exact/cursor.ts";

/** What patches may hold: `git apply` has a mail, and what each file becomes, in memory whole. Larger ones come as objects. */
export const mailLimits = { mail: 64 * 1024 * 1024, file: 64 * 1024 * 1024 };

/**
 * Passes mails on, and looks at what their binary patches would inflate to before git does: a few bytes can stand for many.
 * @throws Unsuited for a file beyond the limit, FerryError failure where all of it together is beyond any work
 */
export async function* bounded(mails: AsyncIterable<Mail>): AsyncGenerator<Mail> {
  let sum = 0;
  for await (const mail of mails) {
    for (const size of binarySizes(mail)) {
      sum += size;
      if (size > mailLimits.file) throw new Unsuited(`commit ${short(mail.item.commit)}: a file of ${size} bytes`);
      if (sum > caps.totalBytes) throw lie(`files of more than ${caps.totalBytes} bytes`, mail.item);
    }
    yield mail;
  }
}

/** A line of a hunk never begins with one of these words: blanks and signs come first. */
const headers = ["\nliteral ", "\ndelta "];

function* binarySizes({ item, diff }: Mail): Generator<number> {
  for (const header of headers)
    for (let at = diff.indexOf(header, 0, "latin1"); at >= 0; at = diff.indexOf(header, at + 1, "latin1")) {
      const cursor = new Cursor(diff);
      cursor.at = at + 1;
      try {
        yield blockSize(cursor) ?? 0;
      } catch (error) {
        if (error instanceof Unreadable) throw lie("a binary patch that can't be read", item);
        throw error;
      }
    }
}
