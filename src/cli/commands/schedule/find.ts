import { FerryError } from "../../../base/errors.ts";
import { oneLine, textOf } from "../../../base/text.ts";
import { readCliInfo } from "../../../client/capabilities.ts";
import { listAll } from "../../../client/pages.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Schedule } from "../../../wire/schedules.ts";
import type { Context } from "../../context.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import { requireReachable } from "../../flows/host/reachable.ts";
import { theOneNamed } from "../../flows/named.ts";
import { when } from "../../output/when.ts";
import { whileWaiting } from "../../flows/waiting.ts";

export type KnownSchedule = Tolerant<Schedule>;

/**
 * A service that runs agents on a schedule for programs to manage.
 * @throws FerryError failure for one that has none, as an embedded one, or may manage them in its portal alone: of others both look the same
 */
export async function connectForSchedules(context: Context): Promise<Connection> {
  const connection = await connect(context);
  const { client, name } = connection;
  if ((await whileWaiting(context, name, () => client.capabilities())).has("schedules")) return connection;
  await requireReachable(connection);
  if ((await readCliInfo(client.readCli))?.service?.name === "ferry")
    throw new FerryError("failure", `${name} has no scheduled agents`, { hint: "let cron start: ferry run" });
  throw new FerryError("failure", `${name} has no scheduled agents that a program can manage`, {
    hint: "look for them in its portal, or let cron start: ferry run",
  });
}

/** The one of that name or id. */
export async function findSchedule({ host }: Context, connection: Connection, given: string): Promise<KnownSchedule> {
  const all = await listAll(connection.client.listSchedules);
  const called = all.filter((schedule) => schedule.name === given);
  const about = (schedule: KnownSchedule) => [
    schedule.name,
    when(schedule.created_at, host.terminal.stderr.isTTY, host.clock.now()),
  ];
  return theOneNamed(given, { all, called, about }, { one: "schedule", several: "schedules", noun: "schedule" }, connection);
}

/** How it is called in lines for people. */
export function scheduleName({ name, id }: KnownSchedule): string {
  return oneLine(textOf(name) || id);
}
