/**
 * What a person pasted as an answer of the authorization endpoint: the whole address that the browser ended at, or the code alone,
 * which then stands for an answer to our own question. Blanks and line breaks come from terminals. Undefined for what is neither.
 */
export function readPasted(text: string, ours: { readonly state: string; readonly issuer: string }): URLSearchParams | undefined {
  const pasted = text.replace(/\s+/gu, "");
  if (/^https?:\/\//iu.test(pasted)) {
    const { searchParams } = URL.canParse(pasted) ? new URL(pasted) : { searchParams: new URLSearchParams() };
    return hasOneOutcome(searchParams) ? searchParams : undefined;
  }
  if (!/^[\x21-\x7e]{6,2048}$/u.test(pasted)) return undefined;
  return new URLSearchParams({ code: pasted, state: ours.state, iss: ours.issuer });
}

/** An answer has one state, one code or one error, and none of it in a JWT: else it isn't of ours, whoever brings it. */
export function hasOneOutcome(query: URLSearchParams): boolean {
  const outcomes = [...query.getAll("code"), ...query.getAll("error")];
  return outcomes.length === 1 && outcomes[0] !== "" && query.getAll("state").length === 1 && !query.has("response");
}
