import { readBytes } from "../http/body.ts";
import { Problem } from "../problem.ts";
import { OAuthError } from "./error.ts";

export type Parameters = Readonly<Record<string, string | undefined>>;

/**
 * A form as the pages and the token endpoint take it. A parameter without a value is none (RFC 6749, 3.1 and 3.2).
 * @throws OAuthError invalid_request where one is given twice, Problem 413 or 415
 */
export async function readForm(request: Request): Promise<Parameters> {
  const type = request.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== "application/x-www-form-urlencoded")
    throw new Problem(415, "unsupported_media_type", "the body must be of content type application/x-www-form-urlencoded");
  return parametersOf(new URLSearchParams(new TextDecoder().decode(await readBytes(request))));
}

/** The same of a query. */
export function parametersOf(given: URLSearchParams): Parameters {
  const names = [...given.keys()];
  if (new Set(names).size < names.length) throw new OAuthError("invalid_request", "a parameter is given more than once");
  return Object.fromEntries([...given].filter(([, value]) => value !== ""));
}

/** @throws OAuthError invalid_request where it is missing, or longer than anything sensible */
export function needed(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new OAuthError("invalid_request", `${name}: is required`);
  if (value.length > 2048) throw new OAuthError("invalid_request", `${name}: is too long`);
  return value;
}
