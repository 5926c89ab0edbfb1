import { hashSecret } from "../keys/secret.ts";
import { needed, type Parameters } from "./parameters.ts";
import type { GrantDeps } from "./grant.ts";

/** The revocation endpoint (RFC 7009, 2): whoever holds a key may end it; one that is unknown is as good as revoked. */
export async function answerRevocation(form: Parameters, { store, clock }: GrantDeps): Promise<Response> {
  const key = await store.keys.findByHash(hashSecret(needed(form, "token")));
  if (key !== undefined) await store.keys.revoke(key.id, new Date(clock.now()).toISOString());
  return new Response(null, { status: 200, headers: { "cache-control": "no-store" } });
}
