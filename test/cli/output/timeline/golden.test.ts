import { join } from "node:path";
import stringWidth from "string-width";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { renderEvent } from "../../../../src/cli/output/event.ts";
import { eventTypes } from "../../../../src/wire/values.ts";
import { testCanvas } from "../../../support/canvas.ts";
import { sampleTimeline } from "../../../support/samples.ts";

/** The time of day depends on the reader's zone; its place doesn't. */
const withoutTimes = (line: string) =>
  line.replace(/^((?:\u001b\[2m)?)\d\d:\d\d(:\d\d)?/, (_, paint: string, seconds = "") => `${paint}hh:mm${seconds && ":ss"}`);

test("the samples have each type", () => {
  expect(new Set(sampleTimeline().map(({ type }) => type))).toEqual(new Set([...eventTypes, "agent_dances"]));
});

test.each<[string, Parameters<typeof testCanvas>[0] & object]>([
  ["40", { columns: 40 }],
  ["40-colour", { columns: 40, color: true }],
  ["60", { columns: 60 }],
  ["80", { columns: 80 }],
  ["80-colour", { columns: 80, color: true }],
  ["120", { columns: 120 }],
  ["40-ascii", { columns: 40, unicode: false }],
  ["pipe", { isTTY: false }],
])("a session as it looks: %s", async (name, canvas) => {
  const lines = sampleTimeline().flatMap((event) => renderEvent(event, testCanvas(canvas)));
  if (canvas.columns !== undefined)
    for (const line of lines) expect(stringWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(canvas.columns);
  const text = lines.map(withoutTimes).join("\n").replaceAll("\u001b", "␛");
  await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, "golden", `${name}.txt`));
});
