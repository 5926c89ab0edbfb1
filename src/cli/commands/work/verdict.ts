import { notesOf, type Verdict, type VerdictCommit } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { table, type Column } from "../../output/table.ts";

const columns: readonly Column<VerdictCommit>[] = [
  { header: "#", value: ({ sequence }) => String(sequence) },
  { header: "COMMIT", value: ({ applied_as }) => (applied_as ?? "").slice(0, 12) },
  { header: "SUBJECT", value: ({ subject }) => subject },
];

/** What a pull did: `last` is what came of it, undefined where nothing did. */
export async function showVerdict({ print, global, host }: Context, verdict: Verdict, last: string | undefined): Promise<void> {
  if (global.json) {
    await print.json(verdict);
    return;
  }
  const came = verdict.commits.filter(({ applied_as }) => applied_as !== null);
  if (last !== undefined) await print.data(await table(came, columns, host.terminal.stdout));
  for (const notice of notesOf(verdict)) await print.note(`note: ${notice}`);
  if (last !== undefined) await print.note(last);
}
