import { FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { KeychainFault } from "./call.ts";

/** Why the keychain gave nothing, in a line, with what helps on this system. */
export function keychainFault(
  { error, message }: { readonly error: KeychainFault; readonly message: string },
  platform: NodeJS.Platform,
): FerryError {
  const { code = error, says, hint } = faults[error];
  return new FerryError("auth", says(message), { code, hint: hint(platform) });
}

/** Kept in a file, a key needs nobody to unlock anything: the one way that works over SSH, too. */
const withoutIt = "ferry config set credential_store file, and log in again; or set FERRY_API_KEY";

interface Fault {
  readonly code?: string;
  readonly says: (message: string) => string;
  readonly hint: (platform: NodeJS.Platform) => string;
}

const faults: Record<KeychainFault, Fault> = {
  unavailable: {
    says: (message) => `no keychain: ${reasonOf(message)}`,
    hint: () => withoutIt,
  },
  locked: {
    says: () => "the keychain is locked",
    hint: (platform) => `${unlocking(platform)} and try again; without it: ${withoutIt}`,
  },
  timeout: {
    says: (message) => `the keychain did not answer ${message}`,
    hint: () => `it may be waiting for you to unlock it on the desktop; without it: ${withoutIt}`,
  },
  silent: {
    code: "timeout",
    says: (message) => `the keychain did not answer ${message}: the D-Bus session, or who keeps secrets on it, hangs`,
    hint: () => `log out of the desktop and in again; without it: ${withoutIt}`,
  },
};

/**
 * `gnome-keyring-daemon --unlock` is no help: where a daemon runs already it changes nothing, and on a terminal it shows the password
 * (as tried with 42.1).
 */
function unlocking(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "unlock it with: security unlock-keychain";
  return "unlock it by logging in to the desktop, or there in Passwords and Keys (seahorse),";
}

/** The library's words for it are a chain of others' words. */
function reasonOf(message: string): string {
  if (/no result found|no such object|does not exist|UnknownObject/iu.test(message))
    return "what runs here as one has no collection to keep keys in";
  if (/ServiceUnknown|not provided by any/u.test(message)) return "nobody keeps secrets on the D-Bus session";
  return oneLine(message).replace(/^(?:(?:Platform failure|Couldn't access platform storage|DBus error|zbus error): )+/u, "");
}
