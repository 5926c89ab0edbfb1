import { expect, test } from "vitest";
import { choose } from "../../../src/cli/flows/choice.ts";

test("where a terminal doesn't show more than ASCII, no choice holds more", async () => {
  const names: string[] = [];
  for (const unicode of [true, false])
    await choose(
      {
        terminal: { unicode, stderr: { columns: 40 } },
        prompt: {
          select: async (_, choices) => {
            for (const { name, short = "" } of choices) names.push(name, short);
            return choices[0]?.value;
          },
        },
      } as Parameters<typeof choose>[0],
      "Which?",
      [{ name: "a\u001b[2J – fix", value: 1 }],
    );
  expect(names).toEqual(["a␛[2J – fix", "a␛[2J – fix", "a?[2J - fix", "a?[2J - fix"]);
});
