import { createHash } from "node:crypto";

/** 256 random bits as text: a code, a cookie, a link that works once. */
export function mintSecret(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(32)).toString("base64url");
}

/** Hex of the secret's sha256, under which it is kept. Plain, since a random secret can't be guessed through it. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
