import type { PermissionPolicy } from "../ask/permission.ts";
import type { AgentRecipe } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** Codex, by its adapter for ACP. */
export const codex: AgentRecipe = {
  name: "codex",
  program: "codex-acp",
  args: [],
  install: "npm install -g @agentclientprotocol/codex-acp",
  companions: [],
  providers: ["openai"],
  variables: [],
  setUp: ([way], model, permissions) => ({
    env: { FERRY_MODEL_KEY: placeholder },
    files: { ".codex/config.toml": configuration(way?.address ?? "", model, permissions) },
    protocol: { mode: modeOf(permissions) },
  }),
  own: {
    // Of ChatGPT's subscriptions.
    hosts: ["chatgpt.com", "auth.openai.com"],
    setUp: (model, permissions) => ({
      files: { ".codex/config.toml": `${common(model, permissions).join("\n")}\n` },
      protocol: { mode: modeOf(permissions) },
    }),
  },
};

/** In its modes between the two a model reviews each step, or nobody is asked about an edit. */
function modeOf(permissions: PermissionPolicy): string {
  return permissions === "ask" ? "read-only" : "agent-full-access";
}

/** Where it asks it also locks each command in a second time, which a sandbox doesn't allow: only what it asks for runs. */
const asking =
  "Commands can't run in your own sandbox here, since all of this is one already: ask for each (sandbox_permissions require_escalated).";

function common(model: string, permissions: PermissionPolicy): string[] {
  return [
    ...(permissions === "ask" ? [`developer_instructions = ${JSON.stringify(asking)}`] : []),
    ...(model === "" ? [] : [`model = ${JSON.stringify(model)}`]),
    "check_for_update_on_startup = false",
  ];
}

function configuration(address: string, model: string, permissions: PermissionPolicy): string {
  return [
    ...common(model, permissions),
    'model_provider = "ferry"',
    "[model_providers.ferry]",
    'name = "ferry"',
    `base_url = ${JSON.stringify(address)}`,
    'wire_api = "responses"',
    'env_key = "FERRY_MODEL_KEY"',
    "",
  ].join("\n");
}
