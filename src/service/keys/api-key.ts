import { mintSecret } from "./secret.ts";

/** A new API key: 256 random bits behind a prefix that secret scanners can look for. Shown once, kept only as its hash. */
export function mintApiKey(random: (size: number) => Uint8Array): string {
  return `ferry_${mintSecret(random)}`;
}
