import { type Fields, fieldsOf } from "../reducer/fields.ts";

/** What is renewed goes by such a name, in all sign-ins by OAuth: `access_token`, `refreshToken`, `expires`, `expiry_date`, `last_refresh`. */
const renewedNames = /token|expir|^(access|refresh|last_?refresh)$/iu;
/** By these names it says where a token is sent, or what is run: that stays as the user's own sign-in wrote it. */
const settled = /ur[il]|endpoint|host|type|command|path|file/iu;
/** Characters of a token at most; those with many claims have some thousands. */
const longest = 16 * 1024;

/**
 * A file of a sign-in with what an agent in a sandbox renewed in it: the tokens and their times, and nothing else that it says. The agent
 * outside of a sandbox reads the file too, so that a hostile one inside may at the worst end its own sign-in.
 * @returns undefined where nothing is renewed, and where one of the two is no object in JSON, or only half of it
 */
export function renewed(kept: string, inside: string): string | undefined {
  const [before, now] = [objectIn(kept), objectIn(inside)];
  if (before === undefined || now === undefined) return undefined;
  const merged = merge(before, now);
  return merged === before ? undefined : `${JSON.stringify(merged, null, 2)}\n`;
}

/** Whether renewals of this file can be told from what else may stand in it. */
export function isRenewable(text: string): boolean {
  return objectIn(text) !== undefined;
}

/** The same object where there is nothing new. */
function merge(before: Fields, now: Fields): Fields {
  const changes = Object.entries(now).flatMap(([name, value]): [string, unknown][] => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isObject(known) && isObject(value)) {
      const inner = merge(known, value);
      return inner === known ? [] : [[name, inner]];
    }
    return value !== known && isRenewal(name, value) && !isObject(known) ? [[name, value]] : [];
  });
  return changes.length === 0 ? before : { ...before, ...Object.fromEntries(changes) };
}

function isRenewal(name: string, value: unknown): boolean {
  if (!renewedNames.test(name) || settled.test(name)) return false;
  return typeof value === "number" || (typeof value === "string" && value.length <= longest && /^[\x20-\x7e]+$/u.test(value));
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? fieldsOf(value) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
