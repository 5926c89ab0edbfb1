import type { AgentRecipe } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** Qwen Code, with any provider that speaks OpenAI's interface. */
export const qwen: AgentRecipe = {
  name: "qwen",
  program: "qwen",
  args: ["--acp", "--auth-type", "openai"],
  install: "npm install -g @qwen-code/qwen-code",
  companions: [],
  providers: ["openai"],
  variables: ["OPENAI_MODEL"],
  setUp: ([way], model) => ({
    env: {
      OPENAI_API_KEY: placeholder,
      OPENAI_BASE_URL: way?.address ?? "",
      ...(model !== "" && { OPENAI_MODEL: model }),
    },
    // Commands by pipes: what they print on a terminal is for one, and some then wait for a person.
    files: { ".qwen/settings.json": JSON.stringify({ tools: { shell: { enableInteractiveShell: false } } }) },
  }),
};
