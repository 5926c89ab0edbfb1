import { isLoopback } from "../base/address.ts";
import { FerryError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { exactWord } from "../base/words.ts";

/** The embedded service's name among the hosts; it has no address. */
export const local = "local";

/** Whether a person means that: no spelling of it may be taken for an address, to which a key would go. */
export function isLocal(text: string): boolean {
  return /^\s*local\/*\s*$/iu.test(text);
}

/**
 * A host's address in the one form that it is kept and compared in: scheme, host in lower case, path without a slash at its
 * end. Without a scheme it is https, on this machine itself http.
 * @throws FerryError usage for what is no address, has a user name or password in it, or would send the key in the clear
 */
export function parseAddress(text: string): string {
  const given = text.trim();
  // Of an address, URLs take line breaks and tabs out: what is left may be another one.
  if (/\p{Cc}/u.test(given)) throw noAddress(given);
  // A scheme with a slash too few would be read as a host, and what follows, a password among it, as a path.
  if (/^[a-z][a-z0-9+.-]*:(?!\/\/)[/\\]/iu.test(given)) throw noAddress(given);
  const address = /^[a-z][a-z0-9+.-]*:\/\//iu.test(given) ? given : `${schemeFor(hostOf(given))}//${given}`;
  if (given === "" || !URL.canParse(address)) throw noAddress(given);
  const url = new URL(address);
  // Names of the net are letters, digits, hyphens and dots (RFC 1123, 2.1), with underscores in some; URLs take what shells run, too.
  if (!/^[a-z0-9._[\]:-]+$/u.test(url.hostname))
    throw new FerryError("usage", `"${shown(given)}" is no address of a host: its name has a character that no host has`);
  // A password that begins with digits and a slash reads as a port and a path.
  const isSecret = /@|%40/u.test(url.pathname);
  const place = `${url.host}${url.pathname.replace(/\/+$/u, "")}`;
  if (url.username !== "" || url.password !== "" || isSecret)
    throw new FerryError("usage", "an address of a host holds no user name or password", {
      hint: isSecret ? "leave out all that stands before its last @" : `write it as ${schemeFor(url.hostname)}//${place}`,
    });
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new FerryError("usage", `"${shown(given)}" is no address of a host`, { hint: `write it as https://${url.host}` });
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new FerryError("usage", `http would send the key to ${url.host} in the clear`, {
      hint: `write it as https://${place}`,
    });
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}

/** Plain http is for this machine itself alone. */
function schemeFor(hostname: string): "http:" | "https:" {
  return isLoopback(hostname) ? "http:" : "https:";
}

function noAddress(given: string): FerryError {
  return new FerryError("usage", `"${shown(given)}" is no address of a host`, { hint: "write it as https://agents.example.com" });
}

/**
 * What somebody took for an address, to be said back: without what may be a password or a key in it, which is what stands before its last
 * @, behind a colon where a port would be, or in a query.
 */
export function shown(address: string): string {
  const text = oneLine(address).replace(/[?#].*$/u, "?…");
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*(@|%40)/iu, "$1…$2").replace(/:(?!\/\/|\d+(?:\/|$))[^/]*/u, ":…");
}

/**
 * The same of what may be an account or a workspace as well: what stands before the @ of an e-mail address is a name, unless it looks as
 * keys do.
 */
export function shownLogin(text: string): string {
  const said = oneLine(text);
  const [, name, domain] = /^([^\s@:/?#%]+)@([^\s@:/?#%]+)$/u.exec(said) ?? [];
  if (name === undefined || domain === undefined) return isKeyLike(said) ? "…" : shown(said);
  return [name, domain].map((part) => (isKeyLike(part) ? "…" : part)).join("@");
}

/** A key of the embedded service, or a word as long as keys are and ids are not, but for UUIDs. */
function isKeyLike(word: string): boolean {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(word)) return false;
  return /^(?:ferry_[\w-]{8,}|[\w+/=~-]{24,})$/u.test(word);
}

/** How people call a host: its address without the scheme. */
export function hostName(url: string): string {
  return url.replace(/^https?:\/\//u, "");
}

/** What logs in to an address: a command to be copied, or words where the address can be no word of one in every shell. */
export function loginAt(url: string): string {
  const word = exactWord(url);
  return word === undefined ? "ferry login, with that address as its --host" : `ferry login --host ${word}`;
}

/** Whether somebody who writes this calls a host by its name: the case of a host counts nothing, that of a path does (RFC 9110, 4.2.3). */
export function isNameOf(text: string, url: string): boolean {
  const [host = "", ...path] = text.trim().replace(/\/+$/u, "").split("/");
  return hostName(url) === [host.toLowerCase(), ...path].join("/");
}

function hostOf(address: string): string {
  return URL.canParse(`http://${address}`) ? new URL(`http://${address}`).hostname : "";
}
