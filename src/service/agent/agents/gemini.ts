import type { AgentRecipe } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** Commands by pipes: what they print on a terminal is for one, and some then wait for a person. */
const settings = { ".gemini/settings.json": JSON.stringify({ tools: { shell: { enableInteractiveShell: false } } }) };

/** Gemini CLI, which speaks ACP itself. */
export const gemini: AgentRecipe = {
  name: "gemini",
  program: "gemini",
  args: ["--acp"],
  install: "npm install -g @google/gemini-cli",
  companions: [],
  providers: ["google"],
  variables: [],
  setUp: ([way], model) => ({
    args: model === "" ? [] : ["-m", model],
    env: {
      GEMINI_API_KEY: placeholder,
      GOOGLE_GEMINI_BASE_URL: way?.address ?? "",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    files: settings,
    protocol: { authMethod: "gemini-api-key" },
  }),
  own: {
    // Of Google's accounts.
    hosts: ["oauth2.googleapis.com", "www.googleapis.com", "cloudcode-pa.googleapis.com"],
    setUp: (model) => ({
      args: model === "" ? [] : ["-m", model],
      env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
      files: settings,
    }),
  },
};
