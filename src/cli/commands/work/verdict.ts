import { FerryError, OutputError } from "../../../base/errors.ts";
import { notesOf, type PullRefused, type Verdict, type VerdictCommit } from "../../../patch/verdict.ts";
import type { Context } from "../../context.ts";
import { table, type Column } from "../../output/table.ts";

const columns: readonly Column<VerdictCommit>[] = [
  { header: "#", value: ({ sequence }) => String(sequence) },
  { header: "COMMIT", value: ({ applied_as }) => (applied_as ?? "").slice(0, 12) },
  { header: "SUBJECT", value: ({ subject }) => subject },
];

/**
 * What a pull did: `last` is what came of it, undefined where nothing did.
 * @throws FerryError failure where stdout can't be written: what came, and so the way back, is told on stderr all the same
 */
export async function showVerdict({ print, global, host }: Context, verdict: Verdict, last: string | undefined): Promise<void> {
  if (global.json) {
    await print.json(verdict).catch((error: unknown) => {
      if (!(error instanceof OutputError) || !verdict.applied) throw error;
      const details = last === undefined ? [] : [last];
      throw new FerryError(error.kind, `the pull is done, but ${error.message}`, { details, cause: error });
    });
    return;
  }
  const came = verdict.commits.filter(({ applied_as }) => applied_as !== null);
  const rows = last === undefined ? "" : await table(came, columns, host.terminal.stdout);
  const [written] = await Promise.allSettled([print.data(rows)]);
  for (const notice of notesOf(verdict)) await print.note(`note: ${notice}`);
  if (last !== undefined) await print.note(last);
  if (written.status === "rejected") throw written.reason;
}

/** The verdict of a pull that was refused, whose reason counts also where that can't be written. @throws FerryError the reason */
export async function showRefused(context: Context, refused: PullRefused): Promise<never> {
  try {
    await showVerdict(context, refused.verdict, undefined);
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    const { kind, message, code, hint, status, details } = refused;
    throw new FerryError(kind, `${message}; ${error.message}`, { code, hint, status, details, cause: error });
  }
  throw refused;
}
