import type { Entry } from "../verb.ts";

const main = "Main job:";
const resources = "Resources:";
const account = "Account:";
const service = "Service:";

/** Every top-level command, in the order of the help. Each is loaded by itself. */
export const entries: readonly Entry[] = [
  {
    name: "say",
    summary: "Say something to the session of this branch, or answer its question",
    group: main,
    load: async () => (await import("./work/say.ts")).say,
  },
  {
    name: "pull",
    summary: "Bring a session's commits into this working copy",
    group: main,
    load: async () => (await import("./work/pull.ts")).pull,
  },
  {
    name: "patch",
    summary: "Write a session's commits as a mailbox to stdout",
    group: main,
    load: async () => (await import("./work/patch.ts")).patch,
  },
  {
    name: "session",
    aliases: ["sessions"],
    summary: "Start, list and steer sessions",
    group: resources,
    load: async () => (await import("./session/index.ts")).verbs,
  },
  {
    name: "repo",
    aliases: ["repos"],
    summary: "Repositories that the service knows",
    group: resources,
    load: async () => (await import("./repo/index.ts")).verbs,
  },
  {
    name: "provider",
    aliases: ["providers"],
    summary: "Credentials for code hosting platforms",
    group: resources,
    load: async () => (await import("./provider/index.ts")).verbs,
  },
  {
    name: "login",
    summary: "Log in to a service with an API key",
    group: account,
    load: async () => (await import("./account/login.ts")).login,
  },
  {
    name: "logout",
    summary: "Forget a service's key",
    group: account,
    load: async () => (await import("./account/logout.ts")).logout,
  },
  {
    name: "whoami",
    summary: "Show who you are to the service",
    group: account,
    load: async () => (await import("./account/whoami.ts")).whoami,
  },
  {
    name: "serve",
    summary: "Run the embedded service here, until Ctrl-C",
    group: service,
    load: async () => (await import("./service/serve.ts")).serve,
  },
  {
    name: "service",
    summary: "Start and stop the embedded service in the background",
    group: service,
    load: async () => (await import("./service/index.ts")).verbs,
  },
  {
    name: "api",
    summary: "Make any call to the service, with the stored key",
    group: service,
    load: async () => (await import("./api/api.ts")).api,
  },
];
