import { scrypt, timingSafeEqual } from "node:crypto";
import { FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";

/** OWASP's Password Storage Cheat Sheet for scrypt: N = 2^17, r = 8, p = 1, so 128 MiB while one is computed. */
const preset: Cost = { ln: 17, r: 8, p: 1 };
const sizes = { salt: 16, hash: 32 };
/** In characters: NIST SP 800-63B asks for 8 or more, and for 15 where nothing else guards the account. */
export const lengths = { least: 12, most: 256 };

interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * A password as it is hashed and compared: OpaqueString of RFC 8265 (4.2), so that it is the same from each keyboard.
 * @throws FerryError usage for one that is too short or too long, or has a control character in it
 */
export function readPassword(typed: string): string {
  const password = prepared(typed);
  const length = Array.from(password).length;
  if (length < lengths.least) throw refused(`has ${lengths.least} characters or more`);
  if (length > lengths.most) throw refused(`has at most ${lengths.most} characters`);
  if (/\p{Cc}/u.test(password)) throw refused("is one line, without control characters");
  return password;
}

/** The hash with all that it takes to compute it again (the PHC string format): other parameters can follow. */
export async function hashPassword(password: string, random: Host["random"], cost = preset): Promise<string> {
  const salt = random(sizes.salt);
  return written(cost, salt, await derive(password, salt, cost));
}

/** What no password is right for, and takes as long to compare. */
export function noPassword(random: Host["random"]): string {
  return written(preset, random(sizes.salt), random(sizes.hash));
}

/** Whether it is the password, in a time that says nothing of it. */
export async function isPassword(typed: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = "", hash = ""] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/u.exec(stored) ?? [];
  const right = Buffer.from(hash, "base64");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const given = await derive(prepared(typed), Buffer.from(salt, "base64"), cost);
  return right.length === given.length && timingSafeEqual(right, given);
}

function prepared(typed: string): string {
  return typed.replace(/\p{Zs}/gu, " ").normalize("NFC");
}

function derive(password: string, salt: Uint8Array, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln;
  // As much as it needs and a little for itself; Node's own bound is too low for it.
  const maxmem = 128 * r * (N + p + 2);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, sizes.hash, { N, r, p, maxmem }, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}

function written({ ln, r, p }: Cost, salt: Uint8Array, hash: Uint8Array): string {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/u, "");
  return `$scrypt$ln=${ln},r=${r},p=${p}$${text(salt)}$${text(hash)}`;
}

function refused(what: string): FerryError {
  return new FerryError("usage", `a password ${what}`);
}
