import { oneLine } from "../../base/text.ts";
import { decoded } from "../shape/encoding.ts";
import { messageOf } from "../shape/raw.ts";

/** The first line of a commit's own message as one harmless line, in the encoding that the commit names, else as UTF-8. */
export function subjectOf(raw: Buffer): string {
  const message = messageOf(raw);
  const start = message.findIndex((byte) => !blanks.has(byte));
  if (start < 0) return "";
  const end = message.indexOf(10, start);
  return oneLine(decoded(raw, message.subarray(start, end < 0 ? undefined : end)).trimEnd());
}

/** Blank lines before the first word are no subject: git-log(1) leaves them out, too. */
const blanks = new Set(Buffer.from(" \t\r\n"));
