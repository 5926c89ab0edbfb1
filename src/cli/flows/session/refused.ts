import { FerryError } from "../../../base/errors.ts";
import { oneLine, textOf } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import type { BodyOf } from "../../../wire/contract.ts";
import type { Connection } from "../host/connect.ts";

type Wanted = Pick<BodyOf<"createSession">, "base_branch" | "base_commit" | "repository_id">;

/** What a service says to a session that isn't to be, with what can be done about it. */
export function sessionRefused(
  error: unknown,
  { name, argument }: Pick<Connection, "name" | "argument">,
  wanted: Wanted,
): unknown {
  return disabled(error, wanted.repository_id, argument) ?? baseRefused(error, name, wanted);
}

/** A model that is refused, by the name of the setting that says it, where no flag did. Anything else as it is. */
export function namingSetting(error: unknown, setting: string | null | undefined): unknown {
  if (!(error instanceof FerryError) || typeof setting !== "string" || !error.message.startsWith("model: ")) return error;
  const { message, kind, status, code, hint } = error;
  return new FerryError(kind, setting + message.slice("model".length), { status, code, hint, cause: error });
}

/** A repository that agents may not use, as a conflict: the interface has no word of its own for it. */
function disabled(error: unknown, repository: string | undefined, argument: string): FerryError | undefined {
  if (!(error instanceof FerryError) || error.status !== 409 || repository === undefined) return undefined;
  const { message, kind, status, code } = error;
  if (code !== "repository_disabled" && !/\bdisabled\b/iu.test(message)) return undefined;
  const hint = `ferry repo edit ${shellWord(repository)} --enable${argument}`;
  return new FerryError(kind, message, { status, code, hint, cause: error });
}

/** A service that can't have the base says so by the name of a field; whoever typed `ferry run` is told what to push. Else as it is. */
function baseRefused(error: unknown, service: string, { base_branch, base_commit }: Wanted): unknown {
  if (!(error instanceof FerryError) || error.kind !== "usage") return error;
  const { kind, status, code } = error;
  const branch = oneLine(textOf(base_branch));
  const why = { status, code, cause: error };
  if (code === "unknown_branch" || /^base_branch\b/u.test(error.message))
    return new FerryError(kind, `${service} finds no branch ${branch || "to begin at"} in the repository`, {
      ...why,
      hint: `push it (git push -u REMOTE ${branch === "" ? "BRANCH" : shellWord(branch)}), or begin at one that is there: --base BRANCH`,
    });
  if (code !== "unknown_commit" && !/^base_commit\b/u.test(error.message)) return error;
  const commit = oneLine(textOf(base_commit)).slice(0, 12);
  return new FerryError(kind, `${service} can't get the commit ${commit} from the repository`, {
    ...why,
    hint: "push the branch that has it, or begin at one that is there: --base BRANCH",
  });
}
