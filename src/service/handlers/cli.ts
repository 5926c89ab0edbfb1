import type { Capability } from "../../wire/values.ts";
import type { Handlers } from "./handler.ts";

const capabilities: Capability[] = [
  "stream",
  "after",
  "types",
  "sessions",
  "patches",
  "bundle",
  "uncommitted",
  "answer",
  "cancel",
  "close",
  "keys",
];

export const cli = {
  readCli: async ({ key, user }, { store, version, portal }) => ({
    service: { name: "ferry", version },
    portal_url: portal?.url() ?? "",
    workspace: store.workspace,
    user: { ...user },
    key: { id: key.id, scopes: [...key.scopes], expires_at: key.expires_at },
    capabilities: portal?.login === true ? ["login", ...capabilities] : capabilities,
  }),
} satisfies Pick<Handlers, "readCli">;
