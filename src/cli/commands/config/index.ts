import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "list", aliases: ["ls"], load: async () => (await import("./list.ts")).list },
  { name: "get", load: async () => (await import("./get.ts")).get },
  { name: "set", load: async () => (await import("./set.ts")).set },
  { name: "unset", load: async () => (await import("./unset.ts")).unset },
];
