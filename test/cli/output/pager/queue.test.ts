import { expect, test } from "vitest";
import { makeQueue } from "../../../../src/cli/output/pager/queue.ts";

test("who writes waits until the text is taken", async () => {
  const queue = makeQueue(new AbortController().signal);
  let done: boolean | undefined;
  const pushing = queue.push("one").then((taken) => (done = taken));
  await new Promise(setImmediate);
  expect(done).toBeUndefined();
  const reader = queue.all();
  expect(await reader.next()).toEqual({ done: false, value: "one" });
  expect(await pushing).toBe(true);
});

test("who waits for a pager that is quit, or that takes nothing while Ctrl-C is pressed, waits no longer", async () => {
  const quit = makeQueue(new AbortController().signal);
  const pushing = quit.push("one");
  quit.end();
  expect(await pushing).toBe(false);
  expect(await quit.push("two")).toBe(false);

  const interrupt = new AbortController();
  const stuck = makeQueue(interrupt.signal).push("one");
  interrupt.abort(new Error("interrupted"));
  await expect(stuck).rejects.toThrow("interrupted");
});

test("a reader that goes in the middle is gone", async () => {
  const queue = makeQueue(new AbortController().signal);
  const reader = queue.all();
  const first = reader.next();
  await queue.push("one");
  await first;
  await reader.return(undefined);
  expect(await queue.push("two")).toBe(false);
});
