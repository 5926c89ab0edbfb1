import type { VerbEntry } from "../../verb.ts";

export const verbs: readonly VerbEntry[] = [
  { name: "list", aliases: ["ls"], load: async () => (await import("./list.ts")).list },
  { name: "view", aliases: ["status"], load: async () => (await import("./view.ts")).view },
  { name: "start", aliases: ["create", "new"], load: async () => (await import("./start.ts")).start },
  { name: "edit", load: async () => (await import("./edit.ts")).edit },
  { name: "open", load: async () => (await import("./open.ts")).open },
  { name: "wait", load: async () => (await import("./wait.ts")).wait },
  { name: "cancel", load: async () => (await import("./cancel.ts")).cancel },
  { name: "close", load: async () => (await import("./close.ts")).close },
  { name: "link", load: async () => (await import("./link.ts")).link },
  { name: "unlink", load: async () => (await import("./unlink.ts")).unlink },
];
