import { isObject } from "./answers.ts";
import { broken, digitsOf } from "./http/json.ts";

/**
 * The cursor of a list's next page; undefined on the last, where there is none, null or "". A number goes by its digits, which `text`
 * has, the page as it came.
 * @throws FerryError unavailable for what is none: a list that ended there would only seem to be whole
 */
export function cursorOf(page: unknown, text: () => string | undefined = () => undefined): string | undefined {
  const next = isObject(page) ? page["next_cursor"] : undefined;
  if (next === undefined || next === null || next === "") return undefined;
  if (typeof next === "string") return next;
  if (typeof next === "number") return digitsOf(next, "next_cursor", text);
  throw broken("a page of a list whose next_cursor is neither text nor a number");
}
