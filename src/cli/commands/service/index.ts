import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "start", load: async () => (await import("./start.ts")).start },
  { name: "stop", load: async () => (await import("./stop.ts")).stop },
  { name: "status", load: async () => (await import("./status.ts")).status },
  { name: "logs", load: async () => (await import("./logs.ts")).logs },
  { name: "reset", load: async () => (await import("./reset.ts")).reset },
  { name: "agents", load: async () => (await import("./agents.ts")).agents },
  { name: "user", load: async () => (await import("./user.ts")).user },
];
