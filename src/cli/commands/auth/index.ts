import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "status", load: async () => (await import("./status.ts")).status },
  { name: "token", load: async () => (await import("./token.ts")).token },
  { name: "switch", load: async () => (await import("./switch.ts")).change },
];
