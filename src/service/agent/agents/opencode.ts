import type { PermissionPolicy } from "../ask/permission.ts";
import type { AgentRecipe, Way } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** opencode, which speaks with any provider; its models are called `<provider>/<model>`. */
export const opencode: AgentRecipe = {
  name: "opencode",
  program: "opencode",
  args: ["acp"],
  install: "npm install -g opencode-ai",
  // Without it its search fails.
  companions: ["rg"],
  providers: ["anthropic", "openai", "google"],
  variables: [],
  setUp: (ways, model, permissions) => ({
    env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    files: {
      ".config/opencode/opencode.json": JSON.stringify({ ...configuration(ways, model), permission: permission(permissions) }),
    },
  }),
};

function configuration(ways: readonly Way[], model: string): object {
  const [first] = ways;
  const chosen = model === "" ? undefined : model.includes("/") ? model : `${first?.provider ?? ""}/${model}`;
  return {
    autoupdate: false,
    share: "disabled",
    enabled_providers: ways.map(({ provider }) => provider),
    provider: Object.fromEntries(ways.map((way) => [way.provider, providerOf(way, chosen)])),
    ...(chosen !== undefined && { model: chosen, small_model: chosen }),
  };
}

/** Where every question would be answered with yes it needn't ask. */
function permission(policy: PermissionPolicy): object {
  return Object.fromEntries(["edit", "bash", "webfetch", "external_directory", "doom_loop"].map((what) => [what, policy]));
}

/** A model that opencode's own list doesn't have (of a company's proxy, or on this machine) must be named to it. */
function providerOf({ provider, address, elsewhere }: Way, chosen: string | undefined): object {
  const path = provider === "google" ? "/v1beta" : provider === "anthropic" ? "/v1" : "";
  const options = { baseURL: `${address}${path}`, apiKey: placeholder };
  // OpenAI's newer interface is nobody else's.
  const npm = elsewhere && provider === "openai" ? { npm: "@ai-sdk/openai-compatible" } : {};
  const [of, ...name] = chosen?.split("/") ?? [];
  return of === provider ? { ...npm, options, models: { [name.join("/")]: {} } } : { ...npm, options };
}
