import type { Scope } from "../../../wire/values.ts";

const things: Readonly<Record<string, string>> = {
  sessions: "sessions, their messages and commits",
  "code-providers": "code providers (the credentials for hosting platforms)",
  repositories: "repositories",
  all: "everything in the workspace, API keys included",
};
const deeds: Readonly<Record<string, string>> = {
  read: "See",
  write: "Create, change and delete",
  all: "See, create, change and delete",
};

/** Of sessions none is deleted: they are closed. */
const deedsOfSessions: typeof deeds = {
  write: "Start, steer and close",
  all: "See, start, steer and close",
};

/** What a key with this scope can do. */
export function inWords(scope: Scope): string {
  const [thing = "", deed = ""] = scope.split(":");
  return `${(thing === "sessions" ? deedsOfSessions[deed] : undefined) ?? deeds[deed] ?? deed} ${things[thing] ?? thing}`;
}
