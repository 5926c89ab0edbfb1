import { typedId } from "../../../base/ids.ts";
import type { Context } from "../../context.ts";
import { hostArgument } from "../host/argument.ts";
import type { OpenSession } from "./select.ts";

/** What is typed to answer a session's agent, where plain `ferry say` here would go to another session, or to none. */
export function sayCommand({ global }: Pick<Context, "global">, { session, isOurs = false }: OpenSession): string | undefined {
  if (isOurs && global.host === undefined && global.C === undefined) return undefined;
  return `ferry say${hostArgument({ global })} --session ${typedId(session.id)}`;
}
