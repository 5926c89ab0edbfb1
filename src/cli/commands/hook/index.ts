import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "install", load: async () => (await import("./install.ts")).install },
  { name: "uninstall", load: async () => (await import("./uninstall.ts")).uninstall },
  { name: "status", load: async () => (await import("./status.ts")).status },
  { name: "run", load: async () => (await import("./run.ts")).run },
];
