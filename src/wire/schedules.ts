import { z } from "zod";
import type { Known } from "./known.ts";
import { intervalUnits, runStatuses, runTriggers, weekdays } from "./values.ts";

const text = z.string();
const time = z.iso.datetime();
const filled = z.string().min(1);

const every = z.strictObject({ n: z.number().int().min(1).max(1000), unit: z.enum(intervalUnits) });
/** The seed, Limits 2: a time of day in steps of 15 minutes. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):(00|15|30|45)$/u, "is no HH:MM on a quarter of an hour");
const dollars = z.number().positive();

/** Scheduled agents: a prompt that is run in a session of its own at each of its times. */
export const schedule = z.looseObject({
  id: text,
  workspace_id: text,
  user_id: text,
  name: text,
  prompt: text,
  repository_id: text,
  model: text,
  every: z.looseObject(every.shape),
  /** The days on which it may run; none named: on all. */
  weekdays: z.array(z.enum(weekdays)),
  time_of_day: text,
  /** A name of the tz database: whose hours `time_of_day` and `weekdays` are. */
  timezone: text,
  /** In USD; what isn't there has no limit. */
  budget: z.looseObject({
    run: dollars.optional(),
    day: dollars.optional(),
    week: dollars.optional(),
    month: dollars.optional(),
  }),
  enabled: z.boolean(),
  /** Missing where it is not enabled. */
  next_run_at: time.optional(),
  created_at: time,
  updated_at: time,
});

export const createSchedule = z.strictObject({
  name: filled.max(100),
  prompt: filled,
  repository_id: filled.optional(),
  model: text.optional(),
  every,
  weekdays: z.array(z.enum(weekdays)).optional(),
  time_of_day: timeOfDay.optional(),
  timezone: filled.optional(),
  budget: z
    .strictObject({ run: dollars.optional(), day: dollars.optional(), week: dollars.optional(), month: dollars.optional() })
    .optional(),
  enabled: z.boolean().default(true),
});

/** Of the budget, what is named changes; null takes a limit away. */
export const updateSchedule = createSchedule.partial().extend({
  budget: z
    .strictObject({
      run: dollars.nullable().optional(),
      day: dollars.nullable().optional(),
      week: dollars.nullable().optional(),
      month: dollars.nullable().optional(),
    })
    .optional(),
  enabled: z.boolean().optional(),
});

/** One time that a schedule was due, or was told to run. */
export const scheduleRun = z.looseObject({
  id: text,
  schedule_id: text,
  /** Missing where it was skipped. */
  session_id: text.optional(),
  status: z.enum(runStatuses),
  trigger: z.enum(runTriggers),
  /** Why it was skipped, or failed. */
  reason: text.optional(),
  /** In USD, where it is known. */
  cost: z.number().optional(),
  created_at: time,
  finished_at: time.optional(),
});

export type Schedule = Known<z.infer<typeof schedule>>;
export type ScheduleRun = Known<z.infer<typeof scheduleRun>>;
