import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { spin } from "../../src/host/spinner.ts";
import { columnsOf } from "../../src/host/terminal.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const stream = (isTTY: boolean, columns: number | undefined) =>
  Object.assign(new PassThrough(), { isTTY, columns }) as unknown as NodeJS.WriteStream;

test("a terminal of known width gets one, after a while", () => {
  const spinner = spin("waiting", true, stream(true, 80));
  expect(vi.getTimerCount()).toBe(1);
  spinner.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["a terminal of 0 columns", true, 0],
  ["a terminal that tells no width", true, undefined],
  ["a pipe", false, undefined],
])("%s gets none", (_, isTTY, columns) => {
  const spinner = spin("waiting", true, stream(isTTY, columns));
  expect(vi.getTimerCount()).toBe(0);
  spinner.update("still waiting");
  spinner.stop();
});

test("text is laid out for 80 columns where the width isn't known", () => {
  expect([120, 0].map((columns) => columnsOf(stream(true, columns)))).toEqual([120, 80]);
  expect(columnsOf(stream(false, undefined))).toBe(80);
});
