import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "list", aliases: ["ls"], load: async () => (await import("./list.ts")).list },
  { name: "view", load: async () => (await import("./view.ts")).view },
  { name: "create", aliases: ["new"], load: async () => (await import("./create.ts")).create },
  { name: "edit", load: async () => (await import("./edit.ts")).edit },
  { name: "delete", aliases: ["rm"], load: async () => (await import("./delete.ts")).remove },
  { name: "analyze", load: async () => (await import("./analysis/analyze.ts")).analyze },
  { name: "analysis", load: async () => (await import("./analysis/analysis.ts")).analysis },
];
