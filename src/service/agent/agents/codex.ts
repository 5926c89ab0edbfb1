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
    files: { ".codex/config.toml": configuration(way?.address ?? "", model) },
    // In its other modes a model reviews each step, and it would lock the commands in a second time, which a sandbox doesn't allow.
    protocol: { mode: permissions === "ask" ? "agent" : "agent-full-access" },
  }),
};

function configuration(address: string, model: string): string {
  return [
    ...(model === "" ? [] : [`model = ${JSON.stringify(model)}`]),
    'model_provider = "ferry"',
    "check_for_update_on_startup = false",
    "[model_providers.ferry]",
    'name = "ferry"',
    `base_url = ${JSON.stringify(address)}`,
    'wire_api = "responses"',
    'env_key = "FERRY_MODEL_KEY"',
    "",
  ].join("\n");
}
