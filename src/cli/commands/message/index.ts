import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "send", load: async () => (await import("./send.ts")).send },
  { name: "list", aliases: ["ls"], load: async () => (await import("./list.ts")).list },
];
