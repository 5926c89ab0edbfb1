import { join } from "node:path";

/** Where a session's things lie below the data folder. */
export const layout = {
  mirror: (data: string, repositoryId: string) => join(data, "mirrors", `${repositoryId}.git`),
  sessions: (data: string) => join(data, "sessions"),
  session: (data: string, sessionId: string) => join(data, "sessions", sessionId),
  repository: (data: string, sessionId: string) => join(data, "sessions", sessionId, "repo.git"),
  /** When its workspace was looked at last, as ISO 8601 text. */
  looked: (data: string, sessionId: string) => join(data, "sessions", sessionId, "looked"),
  /** What of the sandbox's commits can't come home, a sentence; not there where all of them can. */
  left: (data: string, sessionId: string) => join(data, "sessions", sessionId, "left-behind"),
  /** The workspace of a turn that the service was killed in, on its way home. The agent's, so no git of ours reads it. */
  taken: (data: string, sessionId: string) => join(data, "sessions", sessionId, "taken"),
  /** One that can't be brought home, kept for the user. */
  unsaved: (data: string, sessionId: string) => join(data, "sessions", sessionId, "unsaved"),
  /** What is kept of the session's agent: which it is and how it calls its session, and what lies in its HOME. */
  agent: (data: string, sessionId: string) => join(data, "sessions", sessionId, "agent.json"),
  agentHome: (data: string, sessionId: string) => join(data, "sessions", sessionId, "agent-home.tar.gz"),
  sandboxes: (data: string) => join(data, "sandboxes"),
};

/** In a session's repository: a commit of what its workspace held, and had not committed, when the last turn ended. */
export const uncommittedRef = "refs/ferry/uncommitted";

/** Git in a repository of the service's own: named outright, and without any user's or system's configuration. */
export function own(gitDir: string) {
  return { cwd: gitDir, gitDir, isolated: true } as const;
}
