import { makeId } from "../../base/ids.ts";
import type { ParsedBodyOf } from "../../wire/contract.ts";
import type { Repository } from "../../wire/resources.ts";
import { jsonAnswer } from "../http/answer.ts";
import { Problem } from "../problem.ts";
import type { Store } from "../store/store.ts";
import { checkCloneUrl, refusePlaceHere } from "./clone-url.ts";
import type { Handlers } from "./handler.ts";
import { found } from "./missing.ts";
import { origin } from "./providers.ts";

export const repositories = {
  createRepository: ({ body, user }, { store, random, clock, owner }) =>
    store.transaction(async (trx) => {
      await checkOrigin(body, trx);
      if (owner !== undefined && user.id !== owner) refusePlaceHere(body.clone_url);
      // Who registers a place again means the repository that is there.
      const known = body.platform === "git" ? await trx.repositories.findByPlace(body.clone_url) : undefined;
      if (known !== undefined) return jsonAnswer(known, 200);
      const at = new Date(clock.now()).toISOString();
      const repository: Repository = {
        id: makeId("rep", random),
        workspace_id: trx.workspace.id,
        ...body,
        webhooks_registered: false,
        // None is ever under way here: "pending" would be waited for.
        analysis_status: "failed",
        analysis_error: notAnalyzed,
        created_at: at,
        updated_at: at,
      };
      await trx.repositories.insert(repository);
      return repository;
    }),

  async listRepositories({ query }, { store }) {
    const { items, next_cursor } = await store.repositories.list(query);
    return { items: [...items], next_cursor };
  },

  readRepository: async ({ params: { id } }, { store }) => found(await store.repositories.find(id), "repository", id),

  async updateRepository({ params: { id }, body }, { store, clock }) {
    const change = { enabled: body.enabled, updated_at: new Date(clock.now()).toISOString() };
    return found(await store.repositories.update(id, change), "repository", id);
  },

  deleteRepository: ({ params: { id } }, { store }) =>
    store.transaction(async (trx) => {
      const [open] = await trx.sessions.listActive(id);
      if (open !== undefined)
        throw new Problem(409, "repository_in_use", `repository ${id} has open sessions, e.g. ${open.id}: close them first`);
      return found(await trx.repositories.delete(id), "repository", id);
    }),

  analyzeRepository: () => Promise.reject(notBuilt()),
  readAnalysis: () => Promise.reject(notBuilt()),
} satisfies Pick<
  Handlers,
  | "createRepository"
  | "listRepositories"
  | "readRepository"
  | "updateRepository"
  | "deleteRepository"
  | "analyzeRepository"
  | "readAnalysis"
>;

async function checkOrigin(body: ParsedBodyOf<"createRepository">, store: Store): Promise<void> {
  checkCloneUrl(body.clone_url, body.platform);
  const { code_provider_id: id, platform } = body;
  if (platform === "git") {
    if (id !== "") throw new Problem(400, "invalid_request", "code_provider_id: platform git has none");
    return;
  }
  if (id === "") throw new Problem(400, "invalid_request", `code_provider_id: is required for platform ${platform}`);
  const provider = await store.providers.find(id);
  if (provider === undefined) throw new Problem(422, "unknown_code_provider", "code_provider_id: there is no such code provider");
  // The provider's token is sent to the clone address.
  if (origin(body.clone_url) !== origin(provider.base_url))
    throw new Problem(400, "invalid_request", `clone_url: must be of the code provider's origin, ${origin(provider.base_url)}`);
}

const notAnalyzed = "this service can't analyze repositories yet";

function notBuilt(): Problem {
  return new Problem(501, "not_implemented", notAnalyzed);
}
