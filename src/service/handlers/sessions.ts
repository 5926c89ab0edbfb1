import { Problem } from "../problem.ts";
import type { Handlers } from "./handler.ts";
import { found } from "./missing.ts";

/** Computed fields that the list can add; this one stays absent while sessions have no merge request. */
const computed = ["mr_pipeline_summary"];

export const sessions = {
  createSession: ({ body, user }, deps) => deps.sessions.create(body, user),

  async listSessions({ query: { include, ...filters } }, { store }) {
    checkInclude(include);
    const { items, next_cursor } = await store.sessions.list(filters);
    return { items: [...items], next_cursor };
  },

  readSession: async ({ params: { sessionId } }, { store }) => found(await store.sessions.find(sessionId), "session", sessionId),

  updateSession: ({ params: { sessionId }, body }, deps) => deps.sessions.update(sessionId, body),
  sendMessage: ({ params: { sessionId }, body, user }, deps) => deps.sessions.post(sessionId, body, user),
  cancelSession: ({ params: { sessionId }, body }, deps) => deps.sessions.cancel(sessionId, body),
  closeSession: ({ params: { sessionId }, body, user }, deps) => deps.sessions.close(sessionId, body, user),
} satisfies Pick<
  Handlers,
  "createSession" | "listSessions" | "readSession" | "updateSession" | "sendMessage" | "cancelSession" | "closeSession"
>;

function checkInclude(include = ""): void {
  const unknown = include.split(",").find((name) => name !== "" && !computed.includes(name));
  if (unknown !== undefined)
    throw new Problem(400, "invalid_request", `include: there is no computed field of that name, only ${computed.join(", ")}`);
}
