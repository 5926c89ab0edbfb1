import { isLoopback } from "../../base/address.ts";
import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";

/**
 * That a service sends a login to another address, which is never gone to by itself: `said` begins the line, the address ends it.
 * `isPage`: what was asked for isn't what lies there, so that it is a page of somebody's, to sign in to a gateway, say.
 */
export function elsewhere(
  said: string,
  address: string,
  { status, isPage = false }: { readonly status?: number; readonly isPage?: boolean } = {},
): FerryError {
  // What a command names must be an address and nothing else: a shell reads more into what a URL may hold.
  const there = /^https?:\/\/[a-z0-9.:[\]-]+(?:\/[\w./-]*)?$/u.test(address) && address.length <= 300;
  return new FerryError("failure", `${said} ${there ? address : "somewhere that is no address of a host"}`, {
    status,
    hint:
      there && !isPage && mayGetKey(address)
        ? `if that is the service's address, log in there: ferry login --host ${shellWord(address)}`
        : "check the host's address, and ask whoever runs the service",
  });
}

/** As `parseAddress` has it: no login is made in the clear. */
function mayGetKey(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname);
}
