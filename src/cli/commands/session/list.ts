import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import { listAll, readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { sessionStatuses } from "../../../wire/values.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { repositoryNamed } from "../../flows/place/repository.ts";
import { linkedTo } from "../../flows/session/linked.ts";
import { repositoryNames } from "../../flows/session/repositories.ts";
import { byCreation, type KnownSession } from "../../flows/session/select.ts";
import { whileWaiting } from "../../flows/waiting.ts";
import { checkKnown } from "../../near.ts";
import { wholeNumber } from "../../options.ts";
import { showList } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";
import { sessionColumns } from "./columns.ts";

interface Options {
  readonly status?: string;
  readonly user?: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly include?: string;
  readonly limit?: number;
}

export const list: Verb = {
  name: "list",
  summary: "List sessions, newest first",
  schema: fields.session,
  examples: ["ferry session list --status active", "ferry session list --json --fields id,branch_name,agent_status"],
  define(command) {
    command
      .option("--status <status>", "only those of this status")
      .option("--user <id>", "only those that this user made")
      .option("--repo <repository>", "only those of this repository (id or owner/name)")
      .option("--branch <name>", "only those of this branch, or else the one that it is linked to here")
      .option("--include <field>", "also this computed field, e.g. mr_pipeline_summary")
      .option("--limit <number>", "at most so many", wholeNumber);
  },
  async run(context, { status, user, repo, branch, include, limit }: Options) {
    const connection = await connect(context);
    const waiting = <T>(work: () => Promise<T>): Promise<T> => whileWaiting(context, connection.name, work);
    const isForeign = await waiting(() => isForeignStatus(connection, status));
    const repository = repo === undefined ? undefined : await waiting(() => repositoryNamed(connection, repo));
    const filters = { status, user_id: user, include };
    const linked = branch === undefined ? undefined : await linkedTo(context, connection, branch);
    const told = { status, user_id: user, branch_name: branch, repository_id: repository?.id };
    const wanted = (session: KnownSession): boolean => isAs(session, told);
    // What only we filter by must not be cut before that; a service may take our filters and let through what doesn't tell.
    const read = (most: number | undefined) =>
      readList(connection.client.listSessions, { filters, limit: most, order: byCreation });
    const isOurs = branch !== undefined || repository !== undefined;
    const first = await waiting(() => read(isOurs ? undefined : limit));
    const cutHere = isOurs || !first.items.every(wanted);
    const listing = cutHere && first.more ? await waiting(() => read(undefined)) : first;
    const named = listing.items.filter(wanted);
    const items =
      named.length > 0
        ? named
        : listing.items.filter((session) => session.id === linked && isAs(session, { ...told, branch_name: undefined }));
    const more = listing.more || (cutHere && items.length > (limit ?? Infinity));
    const names = context.global.json ? new Map<string, string>() : await waiting(() => repositoryNames(connection, items));
    const columns = [...sessionColumns(context.host, names), ...(include === undefined ? [] : [computed(include)])];
    // No session may have it at the moment.
    const known = [...fields.session, ...(include === undefined ? [] : [include])];
    const shown = { ...listing, items: items.slice(0, limit), more };
    await showList(context, shown, columns, { known, many: "sessions" });
    if (include !== undefined && items.length > 0 && items.every((session) => valueOf(session, include) === undefined))
      await context.print.note(`no session here has ${oneLine(include)}`);
    if (isForeign && items.length === 0) await context.print.note(`no session has the status ${oneLine(status ?? "")} now`);
    for (const [field, what] of Object.entries(untold))
      if (told[field as keyof typeof untold] !== undefined && isUntold(listing.items, field))
        await context.print.note(`the sessions of ${connection.name} don't tell ${what}`);
  },
};

/** Whether it has each of the values that are asked for. */
function isAs(session: KnownSession, told: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(told).every(([field, value]) => value === undefined || valueOf(session, field) === value);
}

/** What sessions that lack a field don't tell. */
const untold = {
  status: "their status",
  user_id: "who made them",
  repository_id: "which repository they are of",
} as const;

function isUntold(sessions: readonly KnownSession[], field: string): boolean {
  return sessions.length > 0 && sessions.every((session) => !valueOf(session, field));
}

/** A field that the service adds when it is asked to, whatever it holds. */
function computed(field: string): Column<KnownSession> {
  return {
    header: oneLine(field).toUpperCase(),
    value(session) {
      const value = valueOf(session, field);
      return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
    },
  };
}

function valueOf(session: KnownSession, field: string): unknown {
  return (session as Readonly<Record<string, unknown>>)[field] ?? undefined;
}

/**
 * Whether it is a status of the service's own: what isn't ours is looked for in its sessions, or is none's at the moment, where the
 * service takes the filter.
 * @throws FerryError usage for one that there isn't
 */
async function isForeignStatus({ client }: Connection, status: string | undefined): Promise<boolean> {
  const ours: readonly string[] = sessionStatuses;
  if (status === undefined || ours.includes(status)) return false;
  const there = (await listAll(client.listSessions)).flatMap((session) => session.status ?? []);
  if (there.includes(status)) return true;
  if (await takesStatus(client, status)) return true;
  checkKnown({ one: "status", many: "statuses" }, [status], [...ours, ...there]);
  return false;
}

/** Whether the service answers with nothing to that filter, and not with a refusal, or with what it has of other statuses. */
async function takesStatus(client: Connection["client"], status: string): Promise<boolean> {
  try {
    const query = { status: status as (typeof sessionStatuses)[number] };
    return (await client.listSessions({ query })).items.length === 0;
  } catch (error) {
    if (error instanceof FerryError && (error.status === 400 || error.status === 422)) return false;
    throw error;
  }
}
