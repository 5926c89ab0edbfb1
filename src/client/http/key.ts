import { FerryError } from "../../base/errors.ts";
import { formsOf, without } from "./spellings.ts";

/** A key of the service, and where it came from in words for an error (`FERRY_API_KEY`, `the keychain`). */
export interface ApiKey {
  readonly value: string;
  readonly source: string;
  /** What helps where it can be no key; by default to copy it again. */
  readonly remedy?: string;
}

/** The two ways to send a key: the seed's header, and the bearer token of its getting-started guide. */
export type KeyForm = "x-api-key" | "authorization";

/**
 * The header that carries the key.
 * @throws FerryError auth, naming where the key came from, where it can be no key at all
 */
export function keyHeader({ value, source, remedy }: ApiKey, form: KeyForm): Record<string, string> {
  const fault = faultOf(value);
  if (fault !== undefined)
    throw new FerryError("auth", `the API key of ${source} ${fault}`, {
      hint: remedy ?? "copy it again, without blanks or line breaks",
    });
  return form === "x-api-key" ? { "x-api-key": value } : { authorization: `Bearer ${value}` };
}

/**
 * A text that somebody else wrote without these secrets, also where it has them in other letters, as a host's name would. No pattern
 * is made of them: of one that is too long the engine's own error would quote the whole.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // What is that short is no secret, and would be found in any text.
  const given = secrets.filter(({ length }) => length > 4).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return given.reduce(withoutLetters, /[%\\]/u.test(text) ? withoutEscaped(text, secrets) : text);
}

function withoutEscaped(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(formsOf).reduce(without, Buffer.from(text)).toString();
}

function withoutLetters(text: string, secret: string): string {
  const [where, what] = [folded(text), folded(secret)];
  const kept: string[] = [];
  let from = 0;
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, from)) {
    kept.push(text.slice(from, at), "<redacted>");
    from = at + what.length;
  }
  return kept.length === 0 ? text : `${kept.join("")}${text.slice(from)}`;
}

/** In small letters, and as long as before: this one alone would become two. */
function folded(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase();
}

/** Characters of a key at most; servers take 8 KiB of headers or a little more. */
const longest = 8192;

/** Why it can be no key, in words. Headers are ASCII, and a key holds no blanks: what else arrives here was pasted or read wrongly. */
export function faultOf(value: string): string | undefined {
  if (value.trim() === "") return "is empty";
  if (value.length > longest) return `is longer than any key: ${value.length} characters`;
  if (/[\r\n]/.test(value)) return "has a line break in it";
  if (/\s/.test(value)) return "has a blank in it";
  if (/\p{Cc}/u.test(value)) return "has a control character in it";
  if (!/^[\x21-\x7e]+$/.test(value)) return "has a character that is not ASCII";
  return undefined;
}
