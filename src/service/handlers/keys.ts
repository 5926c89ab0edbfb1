import { oneLine } from "../../base/text.ts";
import { makeKey } from "../keys/make-key.ts";
import { covers } from "../keys/scopes.ts";
import { isAmong, whoseKeys } from "../keys/whose.ts";
import { Problem } from "../problem.ts";
import type { KeptKey } from "../store/store.ts";
import type { Handlers } from "./handler.ts";
import { found } from "./missing.ts";

export const keys = {
  async listKeys({ query, user }, { store, owner }) {
    const { items, next_cursor } = await store.keys.list({ ...query, user_id: whoseKeys(user, owner) });
    return { items: items.map(shown), next_cursor };
  },

  async createKey({ body, key: maker, user }, deps) {
    if (!covers(maker.scopes, body.scopes))
      throw new Problem(
        403,
        "scope_missing",
        `scopes: a key can't have more than the one that makes it (${maker.scopes.join(", ")})`,
      );
    const expires_at = body.expires_at ?? maker.expires_at;
    if (expires_at !== null && Date.parse(expires_at) <= deps.clock.now())
      throw new Problem(400, "invalid_request", "expires_at: is not in the future");
    if (maker.expires_at !== null && expires_at !== null && Date.parse(expires_at) > Date.parse(maker.expires_at))
      throw new Problem(403, "expiry", `expires_at: a key can't outlive the one that makes it (${maker.expires_at})`);
    const name = oneLine(body.name);
    if (name === "") throw new Problem(400, "invalid_request", "name: is blank");
    const wanted = { name, user_id: user.id, scopes: [...new Set(body.scopes)], expires_at };
    const { record, secret } = await makeKey(deps.store.keys, deps, wanted);
    return { ...shown({ ...record, user_name: user.name }), secret };
  },

  async revokeKey({ params: { keyId }, user }, { keyEnds, store, owner }) {
    const key = await store.keys.find(keyId);
    const isTheirs = key !== undefined && isAmong(whoseKeys(user, owner), key);
    return shown(found(isTheirs ? await keyEnds.revoke(keyId) : undefined, "API key", keyId));
  },
} satisfies Pick<Handlers, "listKeys" | "createKey" | "revokeKey">;

function shown({ id, name, user_id, user_name, scopes, expires_at, revoked_at, created_at }: KeptKey) {
  return { id, name, user_id, user_name, scopes: [...scopes], expires_at, revoked_at, created_at };
}
