import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "list", aliases: ["ls"], load: async () => (await import("./list.ts")).list },
  { name: "create", aliases: ["new"], load: async () => (await import("./create.ts")).create },
  { name: "revoke", aliases: ["rm", "delete"], load: async () => (await import("./revoke.ts")).revoke },
];
