import { TextDecoder } from "node:util";
import { FerryError } from "../../base/errors.ts";
import { encodingOf, inUtf8 } from "./raw.ts";

/**
 * A commit object's content into which these texts (UTF-8, one character a byte) can go. What is in another encoding stays so, byte
 * for byte, as long as they are plain ASCII; else it becomes UTF-8, as with git cherry-pick.
 * @throws FerryError attention where its encoding isn't known, or isn't what its bytes are in
 */
export function fitting(raw: Buffer, texts: readonly (string | undefined)[]): Buffer {
  const encoding = encodingOf(raw);
  const odd = texts.find((text) => text !== undefined && /[^\x20-\x7e]/u.test(text));
  if (encoding === undefined || odd === undefined) return raw;
  const decode = decoderOf(encoding);
  const converted = decode && inUtf8(raw, (bytes) => utf8(decode(bytes)));
  if (converted !== undefined) return converted;
  const subject = raw.subarray(raw.indexOf("\n\n") + 2).toString("latin1");
  throw new FerryError(
    "attention",
    `a commit (${plain(subject.split("\n")[0] ?? "")}) is in the encoding ${plain(encoding)}, in which "${Buffer.from(odd, "latin1").toString("utf8")}" can't be added, and its text can't be made UTF-8`,
    {
      hint: "nothing was changed; write the name in plain ASCII for this pull (GIT_COMMITTER_NAME, GIT_AUTHOR_NAME), and so any --trailer",
    },
  );
}

/** Some of a commit's text as it is to be read: in the encoding that the commit names, as UTF-8 where that isn't known or isn't its own. */
export function decoded(raw: Buffer, bytes: Buffer): string {
  const encoding = encodingOf(raw);
  return (encoding === undefined ? undefined : decoderOf(encoding)?.(bytes)) ?? bytes.toString("utf8");
}

function utf8(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, "utf8");
}

function plain(text: string): string {
  return text.replace(/[^\w .:-]/gu, "?").slice(0, 40);
}

type Decode = (bytes: Buffer) => string | undefined;

/**
 * Gives undefined for bytes that aren't in the encoding. By the labels of the WHATWG's Encoding Standard, which calls some of a kin by
 * one name: ASCII has no bytes above 0x7f, and what ISO 8859 has from 0x80 to 0x9f are control characters, which no text needs.
 */
function decoderOf(encoding: string): Decode | undefined {
  const refused = /ascii/iu.test(encoding) ? /[\x80-\xff]/u : /8859|latin/iu.test(encoding) ? /[\x80-\x9f]/u : undefined;
  const decoder = newDecoder(encoding);
  // Those that aren't ASCII for ASCII can't be a commit's.
  if (decoder === undefined || /^utf-?16/iu.test(decoder.encoding)) return undefined;
  return (bytes) => {
    if (refused?.test(bytes.toString("latin1")) === true) return undefined;
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}

function newDecoder(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch {
    return undefined;
  }
}
