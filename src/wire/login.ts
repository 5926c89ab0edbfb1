import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import type { Scope } from "./values.ts";

/** What the two sides of a login agree on beyond the RFCs: the public client, and how a person sees that both mean the same login. */
export const loginClient = "ferry-cli";

/** The path of the loopback redirect (RFC 8252, 7.3); any port will do. */
export const callbackPath = "/callback";

/** What a login asks for where the user names nothing: the seed's three resources. */
export const presetScopes: readonly Scope[] = ["sessions:all", "code-providers:all", "repositories:all"];

/** Who asks, in parameters of ours: an authorization server ignores those that it doesn't know (RFC 6749, 3.1). */
export const requesterParameters = { device: "device_name", system: "device_system", version: "client_version" } as const;

/** No letter that can be taken for a digit. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** So many rounds of PBKDF2 (RFC 8018, 5.2) take some 60 ms; unlike scrypt it is there in every build of OpenSSL. */
const rounds = 200_000;

/**
 * The short code that terminal and page both show, `XXXX-XXXX`: 40 bits of the PKCE challenge, so that a page for another request
 * can't show the same. Of a plain hash 2^40 verifiers are tried in a minute or two on one graphics card, and a login waits ten: each
 * try costs 200,000 rounds instead, some 2^58 in all. Longer codes nobody compares.
 */
export async function confirmationCode(challenge: string): Promise<string> {
  const bytes = await promisify(pbkdf2)(challenge, "ferry login", rounds, 5, "sha256");
  const bits = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const letters = Array.from({ length: 8 }, (_, at) => alphabet.charAt(Number((bits >> BigInt(35 - 5 * at)) & 31n))).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
