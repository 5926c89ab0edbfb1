import { hashSecret } from "../keys/secret.ts";
import { needed, type Parameters } from "./parameters.ts";
import { Problem } from "../problem.ts";
import { OAuthError } from "./error.ts";
import type { GrantDeps } from "./grant.ts";

/** The revocation endpoint (RFC 7009, 2): whoever holds a key may end it; one that is unknown is as good as revoked. @throws OAuthError for the service's own (2.2.1) */
export async function answerRevocation(form: Parameters, { store, keyEnds }: GrantDeps): Promise<Response> {
  const key = await store.keys.findByHash(hashSecret(needed(form, "token")));
  if (key !== undefined)
    await keyEnds.revoke(key.id).catch((error: unknown) => {
      throw error instanceof Problem ? new OAuthError("unsupported_token_type", error.message) : error;
    });
  return new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
}
