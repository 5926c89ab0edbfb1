import { createHash } from "node:crypto";

/** A new API key: 256 random bits behind a prefix that secret scanners can look for. Shown once, kept only as its hash. */
export function mintApiKey(random: (size: number) => Uint8Array): string {
  return `ferry_${Buffer.from(random(32)).toString("base64url")}`;
}

/** Hex of the key's sha256. Plain, since a random key can't be guessed through it. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
