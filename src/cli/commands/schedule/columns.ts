import { textOf } from "../../../base/text.ts";
import { parseTime, until } from "../../../base/time.ts";
import type { Tolerant } from "../../../client/tolerant.ts";
import type { Host } from "../../../host/host.ts";
import type { ScheduleRun } from "../../../wire/schedules.ts";
import { dollars } from "../../output/dollars.ts";
import type { Connection } from "../../flows/host/connect.ts";
import { repositoryNames } from "../../flows/session/repositories.ts";
import type { Lines } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import { when } from "../../output/when.ts";
import { describeBudget } from "./budget.ts";
import type { KnownSchedule } from "./find.ts";
import { describeTimes } from "./times.ts";

export type KnownRun = Tolerant<ScheduleRun>;

export function scheduleColumns({ clock }: Host): readonly Column<KnownSchedule>[] {
  const now = clock.now();
  return [
    { header: "ID", id: "whole", value: ({ id }) => id },
    { header: "NAME", value: ({ name }) => name },
    { header: "WHEN", spare: 1, value: (schedule) => describeTimes(schedule) },
    { header: "NEXT RUN", value: (schedule, terminal) => nextRun(schedule, terminal, now) },
    { header: "BUDGET", spare: 2, value: (schedule) => describeBudget(schedule) },
  ];
}

/** All that is worth a line of one, its repository by name. */
export async function scheduleLines({ clock, terminal }: Host, connection: Connection, schedule: KnownSchedule): Promise<Lines> {
  const names = await repositoryNames(connection, [schedule]);
  const { isTTY } = terminal.stdout;
  const time = (text: string | null | undefined): string | undefined => when(text, isTTY, clock.now());
  return [
    ["id", schedule.id],
    ["name", schedule.name],
    ["prompt", schedule.prompt],
    ["when", describeTimes(schedule)],
    ["next run", nextRun(schedule, isTTY, clock.now())],
    ["repository", names.get(textOf(schedule.repository_id)) ?? schedule.repository_id],
    ["model", schedule.model],
    ["budget", describeBudget(schedule) ?? "no limit"],
    ["created", time(schedule.created_at)],
    ["updated", time(schedule.updated_at)],
  ];
}

/** A run by its session, which commands take; they take no id of a run. */
export function runColumns({ clock }: Host): readonly Column<KnownRun>[] {
  const now = clock.now();
  return [
    { header: "SESSION", id: true, value: ({ session_id }) => session_id },
    { header: "STARTED", value: ({ created_at }, terminal) => when(created_at, terminal, now) },
    { header: "BY", spare: 2, value: ({ trigger }) => trigger },
    { header: "STATUS", value: ({ status }) => status },
    { header: "COST", spare: 1, value: ({ cost }) => (typeof cost === "number" ? dollars(cost) : undefined) },
    { header: "WHY", spare: 3, value: ({ reason }) => reason },
  ];
}

function nextRun({ enabled, next_run_at }: KnownSchedule, terminal: boolean, now: number): string | undefined {
  if (enabled === false) return "off";
  const time = parseTime(textOf(next_run_at));
  return terminal && !Number.isNaN(time) ? until(time, now) : (next_run_at ?? undefined);
}
