import { presetScopes } from "../../wire/login.ts";
import { type Scope, scopes } from "../../wire/values.ts";
import { OAuthError } from "./error.ts";

/** The scopes that a request names, separated by blanks (RFC 6749, 3.3); the preset where it names none. */
export function readScopes(text: string | undefined): readonly Scope[] {
  const words = [...new Set((text ?? "").split(" ").filter((word) => word !== ""))];
  if (words.length === 0) return presetScopes;
  if (!words.every(isScope)) throw new OAuthError("invalid_scope", `scope: each must be one of ${scopes.join(", ")}`);
  return words;
}

function isScope(word: string): word is Scope {
  return (scopes as readonly string[]).includes(word);
}
