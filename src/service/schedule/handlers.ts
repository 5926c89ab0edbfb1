import { Problem } from "../problem.ts";
import type { Handlers } from "../handlers/handler.ts";

/** Not built yet: `GET /api/v1/cli` doesn't list them either. */
export const schedules = {
  listSchedules: notBuilt,
  createSchedule: notBuilt,
  readSchedule: notBuilt,
  updateSchedule: notBuilt,
  deleteSchedule: notBuilt,
  runSchedule: notBuilt,
  listScheduleRuns: notBuilt,
} satisfies Pick<
  Handlers,
  "listSchedules" | "createSchedule" | "readSchedule" | "updateSchedule" | "deleteSchedule" | "runSchedule" | "listScheduleRuns"
>;

function notBuilt(): Promise<never> {
  return Promise.reject(new Problem(501, "not_implemented", "this service can't run agents on a schedule yet"));
}
