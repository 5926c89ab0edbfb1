import { typedId } from "../../../base/ids.ts";
import { FerryError } from "../../../base/errors.ts";
import { shellWord } from "../../../base/words.ts";
import type { OpenSession } from "../session/select.ts";

/**
 * Commits that the sandbox holds and no pull brings need a person before the sandbox goes.
 * @param left what the service says of them, a line; undefined where there are none: no error then
 */
export function leftBehindError(left: string | undefined, { session }: Pick<OpenSession, "session">): FerryError | undefined {
  if (left === undefined) return undefined;
  const { branch_name: branch, base_commit: base, status } = session;
  const id = typedId(session.id);
  const onto = (base ?? "") === "" ? "" : `, on top of ${(base ?? "").slice(0, 12)}`;
  const order = `put your commits on the branch ${branch ?? "of the session"}${onto}`;
  const say = status === "active" ? `have the agent do it (ferry say --session ${id} ${shellWord(order)}), or ` : "";
  return new FerryError("attention", left, {
    code: "left_behind",
    hint: `${say}bring the files without the commits (ferry pull ${id} --uncommitted); ferry pull ${id} --source events --dry-run shows what its timeline has`,
  });
}
