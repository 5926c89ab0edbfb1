import { hostName } from "../../../auth/address.ts";
import { oneLine } from "../../../base/text.ts";
import { exactWord } from "../../../base/words.ts";
import type { HostEntry } from "../../config/config.ts";

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

/** With the workspace only where the account alone doesn't tell, and its id where the workspace's name doesn't. */
export function accountName(login: Login, among: readonly Login[]): string {
  const own = among.filter((other) => isSamePerson(other, login));
  if (own.length < 2 || login.workspace === undefined) return login.account;
  const isNamesake = own.filter(({ workspace }) => workspace === login.workspace).length > 1;
  const id = isNamesake && login.workspaceId !== undefined ? ` (${login.workspaceId})` : "";
  return `${login.account}, workspace ${login.workspace}${id}`;
}

/** What is not found with one login may be in the workspace of another at the same host; "" where there is none. */
export function wayToOthers(hosts: readonly HostEntry[], url: string): string {
  const [, other, ...more] = hosts.filter((entry) => entry.url === url);
  if (other === undefined) return "";
  const isNamesake = hosts.filter(({ workspace }) => workspace === other.workspace).length > 1;
  const name = isNamesake ? other.workspaceId : other.workspace;
  const word = more.length > 0 || name === undefined ? undefined : exactWord(name);
  const which = [other, ...more].map((entry) => accountName(entry, hosts)).join("; ");
  return `it may be another login's there (${oneLine(which)}): ferry auth switch${word === undefined ? "" : ` ${word}`}`;
}

function isSamePerson(one: Login, other: Login): boolean {
  return one.url === other.url && one.account === other.account;
}

function isSameWorkspace(one: Login, other: Login): boolean {
  const areKnown = one.workspaceId !== undefined && other.workspaceId !== undefined;
  return areKnown ? one.workspaceId === other.workspaceId : one.workspace === other.workspace;
}
