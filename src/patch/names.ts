import { createHash } from "node:crypto";
import type { Head, Repository } from "../git/discover.ts";
import type { PullRequest } from "./request.ts";

/** The refs that remember a session in a repository. */
export interface FerryRefs {
  /** The sandbox's newest commit that was brought here; keeps its objects from gc. */
  readonly remote: string;
  /** The sandbox's commit that came last on this branch (or detached working copy). */
  readonly cursor: string;
}

/** The four together, since the same session id may exist on another host, and a session may have several repositories. */
export function ferryRefs(request: PullRequest, repository: Repository, head: Head): FerryRefs {
  const { origin, workspace, session, repositoryId } = request;
  const key = digest([origin, workspace, session, repositoryId].join("\0"));
  const place = head.state === "detached" ? `worktree\0${repository.gitDir}` : head.ref;
  return { remote: `refs/ferry/${key}/remote`, cursor: `refs/ferry/${key}/applied/${digest(place)}` };
}

function digest(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 20);
}
