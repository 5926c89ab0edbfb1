import { expect, test } from "vitest";
import { makeReadings } from "../../../src/client/timeline/whole/readings.ts";

test("a read hangs that takes much longer than those that came to their end; others beside it change nothing of that", async () => {
  let now = 0;
  const readings = makeReadings({ elapsed: () => now });
  async function* taking(ms: number): AsyncGenerator<number> {
    now += ms;
    yield now;
  }
  const first = readings.timed(taking(5000));
  await first.next();
  expect(readings.hangs()).toBe(true);
  await first.next();
  expect(readings.hangs()).toBe(false);
  const slow = readings.timed(taking(0));
  await slow.next();
  now += 7000;
  expect(readings.hangs()).toBe(false);
  const beside = readings.timed(taking(0));
  await beside.next();
  await beside.next();
  expect(readings.hangs()).toBe(false);
  now += 2000;
  expect(readings.hangs()).toBe(true);
  await slow.return(undefined);
  expect(readings.hangs()).toBe(false);
});
