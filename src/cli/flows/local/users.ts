import { join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { makeId } from "../../../base/ids.ts";
import { oneLine } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import type { Context } from "../../context.ts";
import { confirm } from "../text.ts";
import { findLocal } from "./find.ts";

/** Someone who signs in to the embedded service with a password. */
export interface ServiceUser {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

/**
 * A slip in a folder's name would make a service that nobody serves.
 * @throws FerryError not_found where no service has kept anything there, usage where it is no folder
 */
export async function requireData({ host }: Context): Promise<void> {
  const { data } = findFolders(host);
  const there = await host.files.status(data);
  if (there !== undefined && there.kind !== "folder")
    throw new FerryError("usage", `not a folder: ${oneLine(data)}`, { hint: "name the data folder of a service" });
  if ((await host.files.status(join(data, "ferry.db"))) !== undefined) return;
  throw new FerryError("not_found", `no service has its data in ${oneLine(data)}`, {
    hint: `ferry serve --data ${shellWord(data)} makes one`,
  });
}

/** In bytes: more is no password. */
const limit = 16 * 1024;

export async function listUsers(context: Context): Promise<ServiceUser[]> {
  const accounts = await accountsOf(context);
  return (await accounts.list()).map(shown);
}

/**
 * Gives a new user a password, asked for unseen or read from stdin.
 * @throws FerryError usage where the name is none or taken, or the password is none
 */
export async function addUser(context: Context, name: string, fromStdin: boolean): Promise<ServiceUser> {
  const { host } = context;
  checkName(name);
  const accounts = await accountsOf(context);
  // Better told before a password was thought of.
  await accounts.requireFree(name);
  const password = await readHashed(context, name, fromStdin);
  const user = { id: makeId("usr", host.random), name, created_at: new Date(host.clock.now()).toISOString() };
  await accounts.add({ user_id: user.id, name, password, created_at: user.created_at });
  return user;
}

/** Another password for a user, whose browsers are signed out. @throws FerryError not_found, or as addUser does */
export async function changePassword(context: Context, name: string, fromStdin: boolean): Promise<ServiceUser> {
  const accounts = await accountsOf(context);
  const user = await find(accounts, name);
  const password = await readHashed(context, name, fromStdin);
  if (!(await accounts.setPassword(name, password))) throw missing(name);
  return user;
}

/** Ends a user, and with it their keys and sign-ins; their sessions stay. @throws FerryError not_found, or as confirm does */
export async function removeUser(context: Context, name: string): Promise<ServiceUser> {
  const accounts = await accountsOf(context);
  const user = await find(accounts, name);
  await confirm(context, `Remove ${name}, and revoke all of their keys?`);
  const at = new Date(context.host.clock.now()).toISOString();
  if (!(await accounts.remove(name, at))) throw missing(name);
  return user;
}

async function find(accounts: Awaited<ReturnType<typeof accountsOf>>, name: string): Promise<ServiceUser> {
  const account = await accounts.find(name);
  if (account === undefined) throw missing(name);
  return shown(account);
}

function shown({ user_id: id, name, created_at }: Omit<ServiceUser, "id"> & { readonly user_id: string }): ServiceUser {
  return { id, name, created_at };
}

/** While a service of another version runs, its database must stay as that one knows it. */
async function accountsOf({ host }: Context) {
  const running = await findLocal(host);
  if (running !== undefined && running.version !== host.version)
    throw new FerryError(
      "unavailable",
      `the service that runs is of ferry ${oneLine(running.version)}, this is ${host.version}`,
      {
        hint: "end it (ferry service stop), and start it with this version",
      },
    );
  const { accountsIn } = await import("../../../service/running/accounts.ts");
  return accountsIn(findFolders(host).data, host);
}

async function readHashed(context: Context, name: string, fromStdin: boolean): Promise<string> {
  const { host, interactive } = context;
  if (!fromStdin && !interactive)
    throw new FerryError("usage", "no password was given", { hint: "pipe it in: --password-stdin" });
  const { hashPassword, lengths, readPassword } = await import("../../../service/keys/password.ts");
  const typed = fromStdin
    ? await readLine(context)
    : await host.prompt.hidden(`Password for ${name} (${lengths.least} characters or more)`);
  const password = readPassword(typed);
  if (!fromStdin && (await host.prompt.hidden("The same once more")) !== typed)
    throw new FerryError("usage", "the two are not the same: nothing was changed");
  return hashPassword(password, host.random);
}

/** What is piped ends with a line's end, as `echo` has it, or without. */
async function readLine({ host }: Context): Promise<string> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await host.terminal.stdin.read(limit));
    return text.replace(/\r?\n$/u, "");
  } catch (cause) {
    if (cause instanceof FerryError) throw cause;
    throw new FerryError("usage", "the password isn't UTF-8", { cause });
  }
}

/** Typed without trouble on each keyboard, and fit for a line. */
function checkName(name: string): void {
  if (/^[a-z0-9][a-z0-9._@-]{0,63}$/u.test(name)) return;
  throw new FerryError("usage", `"${oneLine(name)}" can't be the name of a user`, {
    hint: "up to 64 small letters, digits and . _ @ -, with a letter or digit first",
  });
}

function missing(name: string): FerryError {
  return new FerryError("not_found", `there is no user ${oneLine(name)}`, { hint: "see ferry service user list" });
}
