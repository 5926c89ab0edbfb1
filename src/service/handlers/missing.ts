import { cut, oneLine } from "../../base/text.ts";
import { Problem } from "../problem.ts";

/** The thing, or a 404 that says what was looked for. `id` is the client's word. */
export function found<T>(thing: T | undefined, what: string, id: string): T {
  if (thing === undefined) throw new Problem(404, "not_found", `there is no ${what} ${cut(oneLine(id), 80)}`);
  return thing;
}
