import { FerryError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";

/** So many of them are told. */
const mostTold = 8;

/** What needs the thing that is to be deleted. */
export interface Users {
  /** Each as a row, see ErrorDetails. */
  readonly rows: readonly string[];
  /** What lets go of the first of them. */
  readonly command: string;
  /** What lists them all. */
  readonly list: string;
}

/**
 * A service's refusal to delete what others need, with those, and what lets go of them: it has no words for commands. Anything else as
 * it is, and so a refusal where nothing that the key may see needs it.
 */
export async function namingUsers(error: unknown, find: () => Promise<Users>): Promise<unknown> {
  if (!(error instanceof FerryError) || error.status !== 409) return error;
  // Why it isn't deleted is told in any case.
  const { rows, command, list } = await find().catch((): Users => ({ rows: [], command: "", list: "" }));
  if (rows.length === 0) return error;
  const { kind, message, status, asked, code } = error;
  const more = rows.length - mostTold;
  return new FerryError(kind, message, {
    ...{ status, asked, code },
    details: [...rows.slice(0, mostTold), ...(more > 0 ? [`and ${count(more, "other")}: ${list}`] : [])],
    hint: rows.length === 1 ? command : `${command}, and so the others`,
    cause: error,
  });
}
