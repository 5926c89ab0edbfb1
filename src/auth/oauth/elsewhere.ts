import { FerryError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import { isPlainAddress, mayGetKey } from "../../client/http/address.ts";

/**
 * That a service sends a login to another address, which is never gone to by itself: `said` begins the line, the address ends it.
 * `isPage`: what was asked for isn't what lies there, so that it is a page of somebody's, to sign in to a gateway, say.
 */
export function elsewhere(
  said: string,
  address: string,
  { status, isPage = false }: { readonly status?: number; readonly isPage?: boolean } = {},
): FerryError {
  const there = isPlainAddress(address);
  return new FerryError("failure", `${said} ${there ? address : "somewhere that is no address of a host"}`, {
    status,
    hint:
      there && !isPage && mayGetKey(address)
        ? `if that is the service's address, log in there: ferry login --host ${shellWord(address)}`
        : "check the host's address, and ask whoever runs the service",
  });
}
