import { makeId } from "../../base/ids.ts";
import type { Provider } from "../../wire/resources.ts";
import { Problem } from "../problem.ts";
import type { ProviderRecord } from "../store/store.ts";
import type { Deps, Handlers } from "./handler.ts";
import { found } from "./missing.ts";

export const providers = {
  async createProvider({ body, user }, deps) {
    const id = makeId("prv", deps.random);
    const at = new Date(deps.clock.now()).toISOString();
    const { metadata, ...fields } = body;
    const record: ProviderRecord = {
      id,
      workspace_id: deps.store.workspace.id,
      user_id: user.id,
      ...fields,
      ...keep(metadata.token, id, deps),
      created_at: at,
      updated_at: at,
    };
    await deps.store.providers.insert(record);
    return shown(record);
  },

  async listProviders({ query }, { store }) {
    const { items, next_cursor } = await store.providers.list(query);
    return { items: items.map(shown), next_cursor };
  },

  updateProvider: ({ params: { providerId }, body }, deps) =>
    deps.store.transaction(async (store) => {
      const known = found(await store.providers.find(providerId), "code provider", providerId);
      const { metadata, name, base_url } = body;
      if (base_url !== undefined && origin(base_url) !== origin(known.base_url)) {
        // A token never goes to a place that it wasn't given for.
        if (metadata === undefined)
          throw new Problem(
            400,
            "invalid_request",
            "metadata: is required with a base_url of another origin: give the token again",
          );
        if (await store.repositories.hasProvider(providerId))
          throw new Problem(
            409,
            "provider_in_use",
            "base_url: repositories of this code provider have clone addresses of the old origin",
          );
      }
      const changed = await store.providers.update(providerId, {
        ...(name !== undefined && { name }),
        ...(base_url !== undefined && { base_url }),
        ...(metadata !== undefined && keep(metadata.token, providerId, deps)),
        updated_at: new Date(deps.clock.now()).toISOString(),
      });
      return shown(found(changed, "code provider", providerId));
    }),

  deleteProvider: ({ params: { providerId } }, deps) =>
    deps.store.transaction(async (store) => {
      if (await store.repositories.hasProvider(providerId))
        throw new Problem(409, "provider_in_use", `code provider ${providerId} has repositories: delete them first`);
      return shown(found(await store.providers.delete(providerId), "code provider", providerId));
    }),
} satisfies Pick<Handlers, "createProvider" | "listProviders" | "updateProvider" | "deleteProvider">;

/** The scheme, host and port of an address that the contract has checked. */
export function origin(address: string): string {
  return new URL(address).origin;
}

function keep(token: string, id: string, { sealer }: Deps): Pick<ProviderRecord, "sealed_token" | "token_hint"> {
  // Four characters tell tokens apart; of a short one they would tell too much.
  return { sealed_token: sealer.seal(token, id), token_hint: token.length < 16 ? "…" : `…${token.slice(-4)}` };
}

function shown({ sealed_token: _, token_hint, ...provider }: ProviderRecord): Provider {
  return { ...provider, metadata: { type: "gitlab_personal_access_token", token: token_hint } };
}
