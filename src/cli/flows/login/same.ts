import { hostName } from "../../../auth/address.ts";
import { oneLine } from "../../../base/text.ts";
import type { HostEntry } from "../../config/config.ts";
import { switchTo } from "./named.ts";

type Login = Pick<HostEntry, "url" | "account"> & {
  readonly [name in "workspace" | "workspaceId"]?: string | undefined;
};

/** The login whose place a new one takes: a person has one for each workspace. One of which no workspace is known may be of any. */
export function earlierLogin(hosts: readonly HostEntry[], login: Login): HostEntry | undefined {
  const own = hosts.filter((other) => isSamePerson(other, login));
  return own.find((other) => isSameWorkspace(other, login)) ?? own.find(({ workspace }) => workspace === undefined);
}

/** What tells a login from all others, in words. */
export function loginName(login: Login, among: readonly Login[]): string {
  return oneLine(`${hostName(login.url)} as ${accountName(login, among)}`);
}

/** For a line that may be cut at its end: what tells it from most others goes first, and what all of them share stands behind that. */
export function nameInMenu(login: Login, among: readonly Login[]): string {
  const partsOf = (one: Login): readonly string[] => [workspaceName(one, among), one.account, hostName(one.url)].map(oneLine);
  const all = among.map(partsOf);
  const parts = partsOf(login).map((text, at) => ({ text, having: all.filter((other) => other[at] === text).length }));
  const said = parts.filter(({ text }) => text !== "");
  const shared = said.filter(({ having }) => having === all.length);
  const own = said.filter(({ having }) => having < all.length).toSorted((one, other) => one.having - other.having);
  const words = (some: typeof said): string => some.map(({ text }) => text).join(", ");
  return own.length === 0 || shared.length === 0 ? words([...own, ...shared]) : `${words(own)} (${words(shared)})`;
}

/** Its id, too, where another of the same person has that name. */
function workspaceName(login: Login, among: readonly Login[]): string {
  const { workspace = "", workspaceId } = login;
  const isNamesake = among.filter((other) => isSamePerson(other, login) && other.workspace === login.workspace).length > 1;
  return isNamesake && workspace !== "" && workspaceId !== undefined ? `${workspace} (${workspaceId})` : workspace;
}

/** With the workspace only where the account alone doesn't tell, and its id where the workspace's name doesn't. */
export function accountName(login: Login, among: readonly Login[]): string {
  const own = among.filter((other) => isSamePerson(other, login));
  return own.length < 2 || login.workspace === undefined
    ? login.account
    : `${login.account}, workspace ${workspaceName(login, among)}`;
}

/** What is not found with one login may be in the workspace of another at the same host; "" where there is none. */
export function wayToOthers(hosts: readonly HostEntry[], url: string): string {
  const [, other, ...more] = hosts.filter((entry) => entry.url === url);
  if (other === undefined) return "";
  const which = [other, ...more].map((entry) => accountName(entry, hosts)).join("; ");
  const way = more.length > 0 ? "ferry auth switch" : switchTo(other, hosts);
  return `it may be another login's there (${oneLine(which)}): ${way}`;
}

function isSamePerson(one: Login, other: Login): boolean {
  return one.url === other.url && one.account === other.account;
}

function isSameWorkspace(one: Login, other: Login): boolean {
  const areKnown = one.workspaceId !== undefined && other.workspaceId !== undefined;
  return areKnown ? one.workspaceId === other.workspaceId : one.workspace === other.workspace;
}
