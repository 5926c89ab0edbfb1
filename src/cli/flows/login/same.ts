import { hostName } from "../../../auth/address.ts";
import { oneLine } from "../../../base/text.ts";
import type { HostEntry } from "../../config/config.ts";

type Login = Pick<HostEntry, "url" | "account"> & { readonly workspace?: string | undefined };

/** Whether one takes the place of the other: a person has a login for each workspace. One that isn't known may be any. */
export function isSameLogin(one: Login, other: Login): boolean {
  const isSameWorkspace = one.workspace === undefined || other.workspace === undefined || one.workspace === other.workspace;
  return isSamePerson(one, other) && isSameWorkspace;
}

/** What tells a login from all others, in words. */
export function loginName(login: Login, among: readonly Login[]): string {
  return oneLine(`${hostName(login.url)} as ${accountName(login, among)}`);
}

/** With the workspace only where the account alone doesn't tell. */
export function accountName(login: Login, among: readonly Login[]): string {
  const isOne = among.filter((other) => isSamePerson(other, login)).length < 2;
  return isOne || login.workspace === undefined ? login.account : `${login.account}, workspace ${login.workspace}`;
}

function isSamePerson(one: Login, other: Login): boolean {
  return one.url === other.url && one.account === other.account;
}
