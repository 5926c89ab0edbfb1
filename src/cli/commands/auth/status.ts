import { hostName, isLocal, local, loginAt } from "../../../auth/address.ts";
import { identify, namelessAccount, scopesOf, workspaceOf } from "../../../auth/login.ts";
import { asFerryError, FerryError } from "../../../base/errors.ts";
import { count, textOf } from "../../../base/text.ts";
import { readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";
import { type ChosenHost, chooseHost, keyOfEnvironment, namedHost } from "../../flows/host/choose.ts";
import { clientFor } from "../../flows/host/connect.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import type { Column } from "../../output/table.ts";
import { record } from "../../output/record.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { credentialsOf } from "../../flows/login/credentials.ts";

/** One login, as it is now. */
interface Status {
  readonly name: string;
  readonly host: string;
  readonly account: string;
  readonly workspace: string | null;
  readonly scopes: readonly string[] | null;
  readonly expires_at: string | null;
  /** Where the key is. */
  readonly key: string;
  /** Whether commands use it where nothing names a host. */
  readonly default: boolean;
  readonly works: boolean;
  readonly error: string | null;
}

const fields = ["name", "host", "account", "workspace", "scopes", "expires_at", "key", "default", "works", "error"] as const;

export const status: Verb = {
  name: "status",
  summary: "Show each login: who, which workspace, where the key is, and whether it works now",
  answer: fields,
  examples: ["ferry auth status", "ferry auth status --json --fields host,works"],
  async run(context) {
    const logins = [...(await fromEnvironment(context)), ...(await stored(context))];
    if (isUnplaced(context)) {
      if (logins.length === 0)
        throw new FerryError("auth", "not logged in to any host; FERRY_API_KEY is set, but no host for it", {
          hint: "set FERRY_HOST",
        });
      await context.print.note("FERRY_API_KEY is set, but no host for it: commands refuse until FERRY_HOST or --host names one");
    }
    const isLocalMeant = isLocal(namedHost(context) ?? "") || (logins.length === 0 && (await chosenKind(context)) === "local");
    if (isLocalMeant) await context.print.note(`${local}, the embedded service, needs no login`);
    if (isLocalMeant && logins.length === 0) return context.global.json ? context.print.json([], fields) : undefined;
    if (logins.length === 0) throw new FerryError("auth", "not logged in to any host", { hint: "ferry login --host URL" });
    const hosts = [...new Set(logins.map(({ url }) => hostName(url)))];
    const checked = await whileWaiting(context, hosts.length === 1 ? hosts.join("") : count(hosts.length, "service"), () =>
      Promise.all(logins.map((login, at) => check(context, login, at === 0))),
    );
    await show(
      context,
      checked.map(({ row }) => row),
    );
    const failures = checked.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
    const [first] = failures;
    if (first === undefined) return;
    throw new FerryError(first.kind, `${failures.length} of ${count(logins.length, "login")} failed: ${first.message}`, {
      hint: first.hint,
    });
  },
};

/** What commands would talk to; undefined where they would be told to log in. */
async function chosenKind(context: Context): Promise<ChosenHost["kind"] | undefined> {
  try {
    return (await chooseHost(context)).kind;
  } catch (error) {
    if (error instanceof FerryError && error.kind === "auth") return undefined;
    throw error;
  }
}

/** Logins are few, and more is to be said of each than a line of a terminal holds. */
async function show(context: Context, rows: readonly Status[]): Promise<void> {
  const { stdout } = context.host.terminal;
  if (context.global.json || !stdout.isTTY)
    return showList(context, { items: [...rows], more: false }, columns, { known: fields, many: "logins" });
  const told = rows.map(({ scopes, default: preset, ...row }) =>
    record(
      [
        ["host", preset ? `${row.name} (default)` : row.name],
        ["account", row.account],
        ["workspace", row.workspace],
        ["scopes", scopes?.join(", ")],
        ["key in", row.key],
        ["state", stateOf(row)],
      ],
      stdout,
    ),
  );
  await context.print.data((await Promise.all(told)).join("\n"));
}

const columns: readonly Column<Status>[] = [
  { header: "HOST", value: ({ name }) => name },
  { header: "ACCOUNT", value: ({ account }) => account },
  { header: "WORKSPACE", value: ({ workspace }) => workspace },
  { header: "SCOPES", value: ({ scopes }) => scopes?.join(",") },
  { header: "KEY IN", value: ({ key }) => key },
  { header: "STATE", value: stateOf },
  { header: "DEFAULT", value: ({ default: preset }) => (preset ? "default" : null) },
];

function stateOf({ works, error }: Pick<Status, "works" | "error">): string | null {
  return works ? "works" : error;
}

interface Checked {
  readonly row: Status;
  readonly failure: FerryError | undefined;
}

/** A key, and where it is. */
interface Candidate {
  readonly url: string;
  readonly account: string;
  readonly workspace: string | null;
  readonly place: string;
  readonly read: () => Promise<string>;
  /** What helps where it can be no key. */
  readonly remedy?: string;
}

/** FERRY_API_KEY is a login, too, to the host that is named beside it: by FERRY_HOST, and by --host only where that is not set. */
async function fromEnvironment(context: Context): Promise<Candidate[]> {
  const chosen = namedHost(context) === undefined ? undefined : await chooseHost(context);
  if (chosen?.kind !== "remote") return [];
  const key = keyOfEnvironment(context, chosen);
  if (key === undefined) return [];
  return [{ url: chosen.url, account: namelessAccount, workspace: null, place: "FERRY_API_KEY", read: async () => key }];
}

/** Whether there is a key in the environment that goes nowhere: no stored login is used then either. */
function isUnplaced(context: Context): boolean {
  return (context.host.env["FERRY_API_KEY"] ?? "") !== "" && namedHost(context) === undefined;
}

async function stored(context: Context): Promise<Candidate[]> {
  const credentials = credentialsOf(context);
  return (await readConfig(context.host)).hosts.map((entry) => ({
    url: entry.url,
    account: entry.account,
    workspace: entry.workspace ?? null,
    place: credentials.place(entry.store),
    read: () => credentials.read(entry),
    remedy: `log in again: ${loginAt(entry.url)}`,
  }));
}

async function check(context: Context, candidate: Candidate, preset: boolean): Promise<Checked> {
  const { url, account, workspace, place, read, remedy } = candidate;
  const row = { name: hostName(url), host: url, account, workspace, scopes: null, expires_at: null, key: place, default: preset };
  try {
    const target = {
      send: context.host.network.send,
      url,
      key: { value: await read(), source: place, ...(remedy !== undefined && { remedy }) },
      origin: url,
      hasty: true,
    };
    const identity = await identify(clientFor(context, target).client);
    const known = {
      account: identity.account,
      workspace: workspaceOf(identity) ?? workspace,
      scopes: scopesOf(identity) ?? null,
      expires_at: textOf(identity.info?.key?.expires_at) || null,
    };
    return { row: { ...row, ...known, works: true, error: null }, failure: undefined };
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    const failure = asFerryError(error);
    return { row: { ...row, works: false, error: failure.message }, failure };
  }
}
