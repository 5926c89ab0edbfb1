import { expect, test } from "vitest";
import { sessionEvent } from "../../src/wire/event.ts";
import { fields } from "../../src/wire/fields.ts";
import { apiKey, cliInfo, provider, repository, session } from "../../src/wire/resources.ts";
import { schedule, scheduleRun } from "../../src/wire/schedules.ts";

test.each([
  ["provider", provider],
  ["repository", repository],
  ["session", session],
  ["event", sessionEvent],
  ["apiKey", apiKey],
  ["cliInfo", cliInfo],
  ["schedule", schedule],
  ["scheduleRun", scheduleRun],
] as const)("the names of a %s are those of its schema", (name, schema) => {
  expect([...fields[name]]).toEqual(Object.keys(schema.shape));
});
