import { hostName } from "../../../auth/address.ts";
import { exactWord } from "../../../base/words.ts";
import type { HostEntry } from "../../config/config.ts";
import { loginsAt } from "../host/choose.ts";

/** What accounts and workspaces are called is a service's choice: the name of a host is that host, whoever else has it. */
export function loginsNamed(given: string, hosts: readonly HostEntry[]): readonly HostEntry[] {
  const byHost = loginsAt(given, { hosts });
  if (byHost.length > 0) return byHost;
  const byAccount = hosts.filter(({ account }) => account === given);
  return byAccount.length > 0
    ? byAccount
    : hosts.filter(({ workspace, workspaceId }) => given === workspace || given === workspaceId);
}

/** The word by which `auth switch` takes this login and no other; undefined where none is. One that begins with a hyphen is an option. */
export function wordFor(entry: HostEntry, hosts: readonly HostEntry[]): string | undefined {
  const { url, account, workspace, workspaceId } = entry;
  const words = [hostName(url), account, workspace, workspaceId].filter((word) => word !== undefined);
  return words.find((word) => {
    const [only, ...more] = loginsNamed(word, hosts);
    return only === entry && more.length === 0 && !word.startsWith("-");
  });
}

/** The command that switches to this login, as far as words can say that in every shell. */
export function switchTo(entry: HostEntry, hosts: readonly HostEntry[]): string {
  const word = wordFor(entry, hosts);
  if (word !== undefined) return exactSwitch(word);
  const there = hosts.filter(({ url }) => url === entry.url);
  const host = exactWord(hostName(entry.url));
  const besideHost = wordFor(entry, there);
  const command = exactSwitch(besideHost);
  return besideHost === undefined || host === undefined ? command : `${command} --host ${host}`;
}

function exactSwitch(word: string | undefined): string {
  const exact = word === undefined ? undefined : exactWord(word);
  return exact === undefined ? "ferry auth switch" : `ferry auth switch ${exact}`;
}
