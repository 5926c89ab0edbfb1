import type { Entry } from "../verb.ts";

const main = "Main job:";
const resources = "Resources:";
const account = "Account:";
const service = "Service:";

/** Every top-level command, in the order of the help. Each is loaded by itself. */
export const entries: readonly Entry[] = [
  entry(
    "run",
    main,
    "Start a session here, follow it, and bring its commits home",
    async () => (await import("./work/run.ts")).run,
  ),
  entry("tail", main, "Watch a session live", async () => (await import("./work/tail.ts")).tail),
  entry("events", main, "Show a session's timeline as it is now", async () => (await import("./work/events.ts")).events),
  entry(
    "say",
    main,
    "Say something to the session of this branch, or answer its question",
    async () => (await import("./work/say.ts")).say,
  ),
  entry("pull", main, "Bring a session's commits into this working copy", async () => (await import("./work/pull.ts")).pull),
  entry("diff", main, "Show what a pull would change in this working copy", async () => (await import("./work/diff.ts")).diff),
  entry("patch", main, "Write a session's commits as a mailbox to stdout", async () => (await import("./work/patch.ts")).patch),
  entry(
    "hook hooks",
    main,
    "Let git's own hooks pull the linked session's commits",
    async () => (await import("./hook/index.ts")).verbs,
  ),
  entry("session sessions", resources, "Start, list and steer sessions", async () => (await import("./session/index.ts")).verbs),
  entry("message messages", resources, "Talk to a session's agent", async () => (await import("./message/index.ts")).verbs),
  entry("repo repos", resources, "Repositories that the service knows", async () => (await import("./repo/index.ts")).verbs),
  entry(
    "provider providers",
    resources,
    "Credentials for code hosting platforms",
    async () => (await import("./provider/index.ts")).verbs,
  ),
  entry(
    "schedule schedules",
    resources,
    "Agents that run on a schedule",
    async () => (await import("./schedule/index.ts")).verbs,
  ),
  entry(
    "login",
    account,
    "Log in to a service, in the browser or with an API key",
    async () => (await import("./account/login.ts")).login,
  ),
  entry(
    "logout",
    account,
    "End a login: revoke its key at the service, and forget it here",
    async () => (await import("./account/logout.ts")).logout,
  ),
  entry("whoami", account, "Show who you are to the service", async () => (await import("./account/whoami.ts")).whoami),
  entry("auth", account, "Look at your logins, and choose between them", async () => (await import("./auth/index.ts")).verbs),
  entry("key keys", account, "API keys of the workspace", async () => (await import("./key/index.ts")).verbs),
  entry(
    "config",
    account,
    "Look at and change what ferry remembers of your wishes",
    async () => (await import("./config/index.ts")).verbs,
  ),
  entry("serve", service, "Run the embedded service here, until Ctrl-C", async () => (await import("./service/serve.ts")).serve),
  entry(
    "service",
    service,
    "Start and stop the embedded service in the background",
    async () => (await import("./service/index.ts")).verbs,
  ),
  entry(
    "doctor",
    service,
    "Check what ferry needs here, with the remedy for what is missing",
    async () => (await import("./doctor/doctor.ts")).doctor,
  ),
  entry("api", service, "Make any call to the service, with the stored key", async () => (await import("./api/api.ts")).api),
  entry(
    "completion",
    service,
    "Print the completion script of a shell",
    async () => (await import("./completion/completion.ts")).completion,
  ),
];

/** `names` are the name and its aliases. */
function entry(names: string, group: string, summary: string, load: Entry["load"]): Entry {
  const [name = "", ...aliases] = names.split(" ");
  return { name, aliases, group, summary, load };
}
