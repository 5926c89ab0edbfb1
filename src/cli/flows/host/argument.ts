import { typedId } from "../../../base/ids.ts";
import { shellWord } from "../../../base/words.ts";
import type { Context } from "../../context.ts";

type Asked = Pick<Context, "global">;

/** What has a command that is printed ask the service that this one asks: "" where no --host named it. */
export function hostArgument({ global }: Asked): string {
  return global.host === undefined ? "" : ` --host ${shellWord(global.host)}`;
}

/** A session as the argument of such a command. */
export function sessionArgument(context: Asked, id: string): string {
  return typedId(id) + hostArgument(context);
}
