import { typedId, withIdLike } from "../../../base/ids.ts";
import { cut, oneLine, textOf } from "../../../base/text.ts";
import type { OpenSession } from "./select.ts";

/** A session as people know it: its id, and its title where it has one. */
export function calledSession({ session }: OpenSession): string {
  const title = oneLine(cut(textOf(session.title), 50));
  return typedId(session.id) + (title === "" ? "" : ` (${title})`);
}

/**
 * The session and its host, as the beginning of a line that says what became of something sent there; "" where `given` is its id, the
 * start of that or its address. Whoever named a branch, `-` or nothing may have had another one in mind.
 */
export function toWhom(open: OpenSession, given: string | undefined): string {
  const isNamed = given !== undefined && (withIdLike([open.session], given).length > 0 || given.includes(open.session.id));
  return isNamed ? "" : `${calledSession(open)} on ${open.connection.name}: `;
}
