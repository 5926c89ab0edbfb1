import { expect, test } from "vitest";
import { describeUsage, sessionColumns } from "../../../src/cli/commands/session/columns.ts";
import type { KnownSession } from "../../../src/cli/flows/session/select.ts";
import { table } from "../../../src/cli/output/table.ts";
import { makeWorld } from "../../support/world.ts";

test("in a narrow terminal what tells an open session from a closed one stays", async () => {
  const world = makeWorld();
  const one = {
    id: "ses_0123456789",
    repository_id: "r1",
    agent_status: "idle",
    branch_name: "ferry/0123456789",
    title: "Fix the failing test",
    updated_at: "2026-01-01T00:00:00Z",
  };
  const rows = (["active", "closed"] as const).map((status) => ({ ...one, status })) as readonly KnownSession[];
  const columns = sessionColumns(world.host, new Map([["r1", "acme/a-shop-with-a-long-name"]]));
  const write = (): Promise<void> => Promise.resolve();
  const text = await table(rows, columns, { isTTY: true, columns: 40, color: false, write });
  expect(text.split("\n")[0]).toMatch(/^ID +STATUS +AGENT +TITLE$/u);
  expect(text).toMatch(/ active .*\n.* closed /u);
  await world.dispose();
});

test.each([
  [
    { model_calls: 12, input_tokens: 34_567, output_tokens: 890, cost_usd: 0.125 },
    "12 model calls, 34,567 tokens in, 890 out, $0.13",
  ],
  [{ model_calls: 1, input_tokens: 5, output_tokens: 0 }, "1 model call, 5 tokens in, 0 out"],
  [{ model_calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0.0042 }, "0 model calls, 0 tokens in, 0 out, less than $0.01"],
  [undefined, undefined],
])("a session's usage %j is told as %j", (usage, words) => {
  expect(describeUsage(usage === undefined ? {} : { usage })).toBe(words);
});
