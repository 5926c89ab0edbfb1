/**
 * What a person pasted as an answer of the authorization endpoint: the whole address that the browser ended at, or the code alone,
 * which then stands for an answer to our own question. Blanks and line breaks come from terminals. Undefined for what is neither.
 */
export function readPasted(text: string, ours: { readonly state: string; readonly issuer: string }): URLSearchParams | undefined {
  const pasted = text.replace(/\s+/gu, "");
  if (/^https?:\/\//iu.test(pasted)) {
    const { searchParams } = URL.canParse(pasted) ? new URL(pasted) : { searchParams: new URLSearchParams() };
    return searchParams.has("code") || searchParams.has("error") ? searchParams : undefined;
  }
  if (!/^[\x21-\x7e]{6,2048}$/u.test(pasted)) return undefined;
  return new URLSearchParams({ code: pasted, state: ours.state, iss: ours.issuer });
}
