import { FerryError } from "../../base/errors.ts";

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

/** A text that somebody else wrote without these secrets, also where it has them in other letters, as a host's name would. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // What is that short is no secret, and would be found in any text.
  const given = secrets.filter(({ length }) => length > 4).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const each = given.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"));
  return each.reduce((cleaned, pattern) => cleaned.replace(new RegExp(pattern, "giu"), "<redacted>"), text);
}

/** Why it can be no key, in words. Headers are ASCII, and a key holds no blanks: what else arrives here was pasted or read wrongly. */
export function faultOf(value: string): string | undefined {
  if (value.trim() === "") return "is empty";
  if (/[\r\n]/.test(value)) return "has a line break in it";
  if (/\s/.test(value)) return "has a blank in it";
  if (!/^[\x21-\x7e]+$/.test(value)) return "has a character that is not ASCII";
  return undefined;
}
