import { afterEach, expect, test } from "vitest";
import { FerryError, NoAnswerError } from "../../../src/base/errors.ts";
import { makeContext } from "../../../src/cli/context.ts";
import { makeTroubles } from "../../../src/cli/flows/troubles.ts";
import { makeIdleClock } from "../../support/idle-clock.ts";
import { makeWorld, type World } from "../../support/world.ts";

let world: World | undefined;
afterEach(() => void world?.dispose());

function telling(tty: boolean, quiet = false) {
  world = makeWorld(tty ? { tty, columns: 40 } : {});
  const clock = makeIdleClock();
  const options = { json: false, showSecrets: false, quiet, verbose: false, input: true, color: "auto" as const, yes: false };
  const context = makeContext({ ...world.host, clock }, options);
  const written = world.terminal.written;
  return { clock, written, troubles: makeTroubles(context, (tell) => tell()) };
}

const lost = new NoAnswerError("h.example: the connection was cut (ECONNRESET)", { sent: true, code: "ECONNRESET" });
const cutList = new NoAnswerError("the service answered with a list that is cut off", { sent: true, code: "unexpected_answer" });
const noJson = new FerryError("unavailable", "the service answered with a list that is no JSON", { code: "unexpected_answer" });
const garbled = new NoAnswerError("h: the compressed answer is garbled (Z_DATA_ERROR)", { sent: true, code: "Z_DATA_ERROR" });
const fault = new FerryError("unavailable", "out of order", { status: 500 });
const busy = new FerryError("unavailable", "slow down", { status: 429 });

test.each([
  ["a cut line", lost, 0, "the connection is lost, trying again: h.example: the connection was cut (ECONNRESET)"],
  [
    "a list cut off",
    cutList,
    0,
    "what the service sends can't be read, trying again: the service answered with a list that is cut off",
  ],
  [
    "no JSON",
    noJson,
    900,
    "what the service sends can't be read, trying again: the service answered with a list that is no JSON",
  ],
  [
    "garbage",
    garbled,
    0,
    "what the service sends can't be read, trying again: h: the compressed answer is garbled (Z_DATA_ERROR)",
  ],
  ["a fault", fault, 29_999, "the service has trouble, trying again: out of order"],
  ["too many requests", busy, 7000, "the service wants a rest, trying again: slow down"],
  ["a long wait", busy, 120_400, "the service wants a rest, trying again in 121 s: slow down"],
])("%s, in a pipe and on a narrow terminal", async (_what, error, wait, line) => {
  const piped = telling(false);
  await piped.troubles.tell({ kind: "trouble", error, wait });
  expect(piped.written).toMatchObject({ stdout: "", stderr: `${line}\n` });
  await world?.dispose();
  const shown = telling(true);
  await shown.troubles.tell({ kind: "trouble", error, wait });
  const rows = shown.written.stderr.trimEnd().split("\n");
  expect(rows.map((row) => row.trim()).join(" ")).toBe(line);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40);
});

test("an outage is told once, each further kind of trouble in it, and a longer wait", async () => {
  const { clock, written, troubles } = telling(false);
  const tellAll = async (error: FerryError, wait = 0) => {
    for (let count = 0; count < 5; count++) await troubles.tell({ kind: "trouble", error, wait });
  };
  await tellAll(lost);
  troubles.over();
  await tellAll(noJson);
  await tellAll(lost);
  await tellAll(busy, 60_000);
  await tellAll(busy, 50_000);
  await clock.sleep(100_000);
  await tellAll(lost);
  expect(written.stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^the connection is lost/u),
    expect.stringMatching(/^what the service sends can't be read/u),
    expect.stringMatching(/^the service wants a rest, trying again in 60 s/u),
  ]);
  troubles.over();
  await clock.sleep(200_000);
  await tellAll(lost);
  expect(written.stderr.trimEnd().split("\n")).toHaveLength(4);
});

test("nothing of it with --quiet", async () => {
  const { written, troubles } = telling(false, true);
  await troubles.tell({ kind: "trouble", error: lost, wait: 0 });
  expect(written.stderr).toBe("");
});
