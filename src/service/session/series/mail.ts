import type { Session } from "../../../wire/resources.ts";
import { Problem } from "../../problem.ts";
import { own } from "../repository/layout.ts";
import { gitOutput } from "./output.ts";
import { type Deps, type Range, resolveRange, whyNotMailable } from "./range.ts";

/** The diff's own options: the same for the mails and for what is told about them. */
export const diffOptions = ["-p", "--binary", "--full-index", "--no-renames", "-U3"] as const;

const mailOptions = [
  "-k",
  "--always",
  "--pretty=mboxrd",
  "--no-stat",
  "--no-signature",
  "--no-base",
  "--no-cover-letter",
] as const;

/**
 * A range of the series as mboxrd, streamed.
 * @throws Problem 409 `not_mailable` where it has merges, 409 `history_rewritten` where it is no part of the series
 */
export async function mbox(
  deps: Deps,
  session: Session,
  asked: { after: string; until: string },
): Promise<AsyncIterable<Uint8Array>> {
  const range = await resolveRange(deps, session, asked);
  const reason = await whyNotMailable(deps.git, range);
  if (reason !== "") throw new Problem(409, "not_mailable", reason);
  return mails(deps, range);
}

/** The mails of a range without merges: one after another, an empty line between two. */
export async function* mails({ git }: Deps, { gitDir, after, until }: Range): AsyncGenerator<Buffer> {
  if (until === after) return;
  const revisions = after === "" ? ["--root", until] : [`${after}..${until}`];
  yield* gitOutput(git, ["format-patch", "--stdout", ...diffOptions, ...mailOptions, ...revisions], own(gitDir));
}

/** The first line of a commit's mail (git-format-patch(1), Discussion). */
export function mailLine(commit: string): string {
  return `From ${commit} Mon Sep 17 00:00:00 2001`;
}
