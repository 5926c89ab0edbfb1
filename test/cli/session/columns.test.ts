import { expect, test } from "vitest";
import { sessionColumns } from "../../../src/cli/commands/session/columns.ts";
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
