import { oneLine } from "../../../base/text.ts";
import { listAll, readList } from "../../../client/pages.ts";
import { fields } from "../../../wire/fields.ts";
import { sessionStatuses } from "../../../wire/values.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { repositoryNamed } from "../../flows/place/repository.ts";
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
  examples: ["ferry session list --status active", "ferry session list --json --fields id,branch_name,agent_status"],
  define(command) {
    command
      .option("--status <status>", "only those of this status")
      .option("--user <id>", "only those that this user made")
      .option("--repo <repository>", "only those of this repository (id or owner/name)")
      .option("--branch <name>", "only those of this branch")
      .option("--include <field>", "also this computed field, e.g. mr_pipeline_summary")
      .option("--limit <number>", "at most so many", wholeNumber);
  },
  async run(context, { status, user, repo, branch, include, limit }: Options) {
    const connection = await connect(context);
    const waiting = <T>(work: () => Promise<T>): Promise<T> => whileWaiting(context, connection.name, work);
    await waiting(() => checkStatus(connection, status));
    const repository = repo === undefined ? undefined : await waiting(() => repositoryNamed(connection, repo));
    const filters = { status, user_id: user, include };
    const wanted = (session: KnownSession): boolean =>
      (branch === undefined || session.branch_name === branch) &&
      (repository === undefined || session.repository_id === repository.id);
    // What only we filter by must not be cut before that.
    const cutHere = branch !== undefined || repository !== undefined;
    const options = { filters, limit: cutHere ? undefined : limit, order: byCreation };
    const listing = await waiting(() => readList(connection.client.listSessions, options));
    const items = listing.items.filter(wanted);
    const more = listing.more || (cutHere && items.length > (limit ?? Infinity));
    const names = context.global.json ? new Map<string, string>() : await waiting(() => repositoryNames(connection, items));
    const columns = [...sessionColumns(context.host, names), ...(include === undefined ? [] : [computed(include)])];
    await showList(context, { items: items.slice(0, limit), more }, columns, fields.session);
    if (include !== undefined && items.length > 0 && items.every((session) => valueOf(session, include) === undefined))
      await context.print.note(`no session here has ${oneLine(include)}`);
    if (repository !== undefined && listing.items.length > 0 && listing.items.every((session) => !session.repository_id))
      await context.print.note(`the sessions of ${connection.name} don't tell which repository they are of`);
  },
};

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

/** A service may have statuses of its own: what isn't ours is looked for in its sessions. */
async function checkStatus({ client }: Connection, status: string | undefined): Promise<void> {
  const ours: readonly string[] = sessionStatuses;
  if (status === undefined || ours.includes(status)) return;
  const there = (await listAll(client.listSessions)).flatMap((session) => session.status ?? []);
  checkKnown({ one: "status", many: "statuses" }, [status], [...ours, ...there]);
}
