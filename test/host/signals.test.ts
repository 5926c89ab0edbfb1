import { expect, test } from "vitest";
import { compute } from "../../src/host/signals.ts";

test("while it computes nobody of ours stands between a signal and the process; then all do again, as before", () => {
  const handle = (): void => undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handle);
  process.once("SIGTERM", handle);
  const counts = () => ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.rawListeners(signal));
  const before = counts();
  expect(compute(() => counts().map((all) => all.length))).toEqual([0, 0, 0]);
  expect(counts()).toEqual(before);
  expect(() =>
    compute(() => {
      throw new Error("no end");
    }),
  ).toThrow("no end");
  expect(counts()).toEqual(before);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeAllListeners(signal);
});
