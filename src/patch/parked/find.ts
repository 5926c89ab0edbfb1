import { FerryError } from "../../base/errors.ts";
import { typedId, withIdLike } from "../../base/ids.ts";
import { oneLine } from "../../base/text.ts";
import { readHead } from "../../git/discover.ts";
import type { Context } from "../context.ts";
import { parkedHere } from "./end.ts";
import { listParked, type Parked } from "./note.ts";

/**
 * The parked pull that is meant: the one whose worktree we are in, else of the session that is named (by its id or the beginning),
 * else the one of this branch, else the only one.
 * @throws FerryError not_found, usage with the candidates where it could be several
 */
export async function findParked(context: Context, session: string | undefined): Promise<Parked> {
  const here = await parkedHere(context);
  if (here !== undefined && (session === undefined || likeIt([here], session).length > 0)) return here;
  const all = likeIt(await listParked(context), session);
  const [first] = all;
  if (first === undefined)
    throw new FerryError(
      "not_found",
      `no pull${session === undefined ? "" : ` of ${oneLine(session)}`} is parked in this repository`,
      {
        hint: "ferry pull --park parks one that conflicts",
      },
    );
  if (all.length === 1) return first;
  const head = await readHead(context.git, context.repository);
  const ours = all.filter(({ note: { target } }) =>
    "ref" in target ? head.state !== "detached" && target.ref === head.ref : target.gitDir === context.repository.gitDir,
  );
  const [only] = ours;
  if (only !== undefined && ours.length === 1) return only;
  const named = all.map(
    ({ note }) => `${typedId(note.errand.session)}${"ref" in note.target ? ` onto ${note.target.ref.slice(11)}` : ""}`,
  );
  throw new FerryError("usage", `${all.length} pulls are parked in this repository`, {
    details: named.map(oneLine),
    hint: "name the session, or go to the worktree",
  });
}

function likeIt(all: readonly Parked[], session: string | undefined): Parked[] {
  if (session === undefined) return [...all];
  return withIdLike(
    all.map((parked) => ({ id: parked.note.errand.session, parked })),
    session,
  ).map(({ parked }) => parked);
}
