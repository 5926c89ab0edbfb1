import { createHash } from "node:crypto";
import { jsonAnswer } from "../http/answer.ts";
import { makeKey } from "../keys/make-key.ts";
import { hashSecret } from "../keys/secret.ts";
import { checkClient } from "./client.ts";
import { redeemDevice } from "./device.ts";
import { OAuthError } from "./error.ts";
import { deviceGrant, type GrantDeps, type Issued } from "./grant.ts";
import { needed, type Parameters } from "./parameters.ts";

/** The token endpoint (RFC 6749, 3.2): an approved code or device becomes an API key. */
export async function answerToken(form: Parameters, deps: GrantDeps): Promise<Response> {
  const client = checkClient(form["client_id"]);
  const grant = needed(form, "grant_type");
  if (grant === "authorization_code") return keyAnswer(await redeemCode(form, client, deps));
  if (grant === deviceGrant) return keyAnswer(await redeemDevice(needed(form, "device_code"), client, deps));
  throw new OAuthError("unsupported_grant_type", `grant_type: must be authorization_code or ${deviceGrant}`);
}

/** RFC 6749, 5.1. The key has no refresh token: it lives until it is revoked. */
function keyAnswer({ record, secret }: Issued): Response {
  const token = { access_token: secret, token_type: "Bearer", scope: record.scopes.join(" ") };
  return jsonAnswer(token, 200, { pragma: "no-cache" });
}

async function redeemCode(form: Parameters, client: string, deps: GrantDeps): Promise<Issued> {
  const hash = hashSecret(needed(form, "code"));
  const [redirectUri, verifier] = [needed(form, "redirect_uri"), needed(form, "code_verifier")];
  const code = await deps.store.logins.findCode(hash);
  if (code === undefined || Date.parse(code.expires_at) <= deps.clock.now())
    throw new OAuthError("invalid_grant", "code: is not valid, or no longer");
  // What it was bound to comes first: who only overheard the code can't revoke what its owner got for it.
  if (code.client_id !== client || code.redirect_uri !== redirectUri)
    throw new OAuthError("invalid_grant", "code: was given to another client or redirect_uri");
  if (code.challenge !== challengeOf(verifier))
    throw new OAuthError("invalid_grant", "code_verifier: is not the one that the code was asked for with");
  if (code.key_id !== null) {
    await deps.keyEnds.revoke(code.key_id);
    throw new OAuthError("invalid_grant", "code: was used before; the key that it gave is revoked");
  }
  const { key_name: name, user_id, scopes } = code;
  return deps.store.transaction(async (store) => {
    const issued = await makeKey(store.keys, deps, { name, user_id, scopes, expires_at: null });
    if (await store.logins.redeemCode(hash, issued.record.id)) return issued;
    throw new OAuthError("invalid_grant", "code: was used before");
  });
}

/** RFC 7636, 4.6. */
function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
