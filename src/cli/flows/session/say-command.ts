import { typedId } from "../../../base/ids.ts";
import { shellWord } from "../../../base/words.ts";
import type { Context } from "../../context.ts";
import type { OpenSession } from "./select.ts";

/** What is typed to answer a session's agent, where plain `ferry say` here would go to another session, or to none. */
export function sayCommand({ global }: Pick<Context, "global">, { session, isOurs = false }: OpenSession): string | undefined {
  if (isOurs && global.host === undefined && global.C === undefined) return undefined;
  const host = global.host === undefined ? "" : ` --host ${shellWord(global.host)}`;
  return `ferry say${host} --session ${typedId(session.id)}`;
}
