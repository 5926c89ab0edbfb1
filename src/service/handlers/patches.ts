import { preferredMedium } from "../http/accept.ts";
import { streamAnswer } from "../http/answer.ts";
import { Problem } from "../problem.ts";
import type { Handlers } from "./handler.ts";
import { found } from "./missing.ts";

export const patches = {
  async readPatches({ params: { sessionId }, query, headers }, { store, sessions }) {
    const session = found(await store.sessions.find(sessionId), "session", sessionId);
    const { repository_id, after = "", until = "", cursor = "" } = query;
    if (repository_id !== undefined && repository_id !== session.repository_id)
      throw new Problem(400, "invalid_request", "repository_id: is not a repository of this session");
    const medium = preferredMedium(headers.get("accept"), ["application/json", "application/mbox", "application/x-git-bundle"]);
    switch (medium) {
      case "application/json":
        return sessions.manifest(sessionId, { after, until, cursor });
      case "application/mbox":
        return streamAnswer(await sessions.mbox(sessionId, { after, until }), medium);
      case "application/x-git-bundle":
        return streamAnswer(await sessions.bundle(sessionId, { after, until }), medium);
    }
  },

  async readUncommitted({ params: { sessionId } }, { store, sessions }) {
    found(await store.sessions.find(sessionId), "session", sessionId);
    return sessions.uncommitted(sessionId);
  },
} satisfies Pick<Handlers, "readPatches" | "readUncommitted">;
