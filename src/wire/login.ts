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
const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * The short code that terminal and page both show, `XXXX-XXXX`: 40 bits of the PKCE challenge, so that a page for another
 * request can't show the same. Who would have one that does has to know this challenge first, and try some 2^40 verifiers while the
 * login waits, ten minutes at most; it is in the printed address, on the user's own screen, and in no command line.
 */
export function confirmationCode(challenge: string): string {
  const letters = Array.from(challenge.slice(0, 8), (letter) => alphabet.charAt(base64url.indexOf(letter) & 31)).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
