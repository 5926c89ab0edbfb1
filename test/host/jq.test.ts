import { expect, test } from "vitest";
import { jq } from "../support/world.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const question = (expression: string) => ({ input: "1", expression, flags: ["--"] });

test("an expression without end stands in no signal's way, and ends with what interrupts it", async () => {
  const handle = (): void => undefined;
  for (const signal of signals) process.on(signal, handle);
  const counts = () => signals.map((signal) => process.listenerCount(signal));
  const before = counts();
  const controller = new AbortController();
  const asked = jq(question("def f: f; f"), controller.signal);
  await new Promise(setImmediate);
  expect(counts()).toEqual(before);
  controller.abort(new Error("interrupted"));
  await expect(asked).rejects.toThrow("interrupted");
  for (const signal of signals) process.off(signal, handle);
  expect(await jq(question(". + 1"), new AbortController().signal)).toMatchObject({ stdout: "2\n", exitCode: 0 });
});

test.each([
  ['"a" * 1e9 | length', "memory"],
  ["range(1e12)", "output"],
])(
  "%s needs more %s than there is; the next question is answered",
  async (expression, lacks) => {
    const { signal } = new AbortController();
    const [answer, next] = await Promise.all([jq(question(expression), signal), jq(question("."), signal)]);
    expect(answer).toMatchObject({ lacks });
    expect(next).toMatchObject({ stdout: "1\n", exitCode: 0 });
  },
  120_000,
);

test("an answer is kept to its last blank", async () => {
  const asked = { input: '"\\n a " ""', expression: ".", flags: ["--raw-output", "--"] };
  expect((await jq(asked, new AbortController().signal)).stdout).toBe("\n a \n\n");
});
