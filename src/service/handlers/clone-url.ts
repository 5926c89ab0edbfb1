import { isAbsolute } from "node:path";
import type { Platform } from "../../wire/values.ts";
import { Problem } from "../problem.ts";

const schemes: Readonly<Record<Platform, readonly string[]>> = {
  gitlab: ["https:", "http:"],
  git: ["https:", "http:", "ssh:", "git:", "file:"],
};

/**
 * Lets an address pass that git can clone from without running anything of the sender's: no option, no transport helper
 * (`ext::sh -c …`, gitremote-helpers(7)), no password that would end in logs.
 * @throws Problem 400 that names `clone_url`
 */
export function checkCloneUrl(address: string, platform: Platform): void {
  if (address.startsWith("-") || /^[\w+.-]*::/u.test(address) || /\p{Cc}/u.test(address)) throw refused("is no clone address");
  if (platform === "git" && (isAbsolute(address) || isScpLike(address))) return;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !schemes[platform].includes(url.protocol))
    throw refused(
      platform === "git"
        ? "must be an absolute path or an address of https, http, ssh, git or file"
        : "must be an https or http address",
    );
  if (url.password !== "" || (url.username !== "" && url.protocol.startsWith("http")))
    throw refused("must not carry a user name or password");
}

/**
 * Refuses a place on the service's own machine: whoever could name one would read, through a session, what only the service's user can.
 * @throws Problem 403
 */
export function refusePlaceHere(address: string): void {
  if (!isAbsolute(address) && (isScpLike(address) || new URL(address).protocol !== "file:")) return;
  throw new Problem(403, "place_here", "clone_url: only the owner of this service can register a place on its machine");
}

/** `user@host:path` (git-clone(1), GIT URLS); a host that begins with a dash would be an option of ssh. */
function isScpLike(address: string): boolean {
  return /^(?:[\w.-]+@)?[a-z0-9][\w.-]*:(?!\/\/)[^-]/iu.test(address);
}

function refused(why: string): Problem {
  return new Problem(400, "invalid_request", `clone_url: ${why}`);
}
