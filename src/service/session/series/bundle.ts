import type { Session } from "../../../wire/resources.ts";
import { formatHeader } from "../repository/bundle.ts";
import { own } from "../repository/layout.ts";
import { gitOutput } from "./output.ts";
import { type Deps, exclude, type Range, resolveRange } from "./range.ts";

/**
 * A range of the series as a git bundle of the session's branch, streamed: our own header, since `git bundle` wants a ref at the
 * range's end, and a pack without what the prerequisite has.
 * @throws Problem 409 `history_rewritten` where it is no part of the series
 */
export async function bundle(
  deps: Deps,
  session: Session,
  asked: { after: string; until: string },
): Promise<AsyncIterable<Uint8Array>> {
  const range = await resolveRange(deps, session, asked);
  const objectFormat = (await deps.git.ok(["rev-parse", "--show-object-format"], own(range.gitDir))).toString("utf8").trim();
  const header = formatHeader({
    objectFormat,
    prerequisites: range.after === "" ? [] : [range.after],
    refs: range.until === "" ? [] : [{ name: `refs/heads/${session.branch_name}`, commit: range.until }],
  });
  return write(deps, range, header);
}

async function* write({ git }: Deps, { gitDir, after, until }: Range, header: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(header);
  const revisions = [until, ...exclude(after)].filter((revision) => revision !== "").map((revision) => `${revision}\n`);
  yield* gitOutput(
    git,
    ["pack-objects", "--quiet", "--revs", "--stdout", "--thin", "--delta-base-offset"],
    own(gitDir),
    revisions.join(""),
  );
}
