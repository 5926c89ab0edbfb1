import { expect, test } from "vitest";
import { makeBreather } from "../../src/base/breather.ts";

test("the loop gets a turn from time to time, and a signal that came in it ends the work", async () => {
  let now = 0;
  let slept = 0;
  const controller = new AbortController();
  const sleep = async () => {
    slept++;
  };
  const breathe = makeBreather({ elapsed: () => now, sleep }, controller.signal);
  await breathe();
  now = 49;
  await breathe();
  expect(slept).toBe(0);
  now = 50;
  await breathe();
  await breathe();
  expect(slept).toBe(1);
  controller.abort(new Error("interrupted"));
  await expect(breathe()).rejects.toThrow("interrupted");
});
