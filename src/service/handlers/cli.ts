import type { Capability } from "../../wire/values.ts";
import type { Handlers } from "./handler.ts";

const capabilities: Capability[] = ["stream", "after", "sessions", "patches", "bundle", "cancel", "close"];

export const cli = {
  readCli: async ({ key, user }, { store, version }) => ({
    service: { name: "ferry", version },
    portal_url: "",
    workspace: store.workspace,
    user: { ...user },
    key: { id: key.id, scopes: [...key.scopes], expires_at: key.expires_at },
    capabilities,
  }),
} satisfies Pick<Handlers, "readCli">;
