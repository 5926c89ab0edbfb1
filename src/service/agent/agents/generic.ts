import type { AgentRecipe, SetUp, Way } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** An agent that ferry knows nothing of but its command line: it is told of the gateway by the variables that the providers' own SDKs read. */
export function genericAgent(name: string): AgentRecipe {
  return {
    name,
    program: name,
    args: [],
    install: `ferry config set agents.${name}.command '…'`,
    companions: [],
    providers: ["anthropic", "openai", "google"],
    variables: [],
    setUp: (ways, model): SetUp => ({
      env: Object.assign({}, ...ways.map(variablesOf)) as Record<string, string>,
      protocol: { model },
    }),
    // Which hosts it needs the user must say.
    own: { hosts: [], setUp: (model): SetUp => ({ protocol: { model } }) },
  };
}

function variablesOf({ provider, address }: Way): Record<string, string> {
  switch (provider) {
    case "anthropic":
      return { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: placeholder };
    case "openai":
      return { OPENAI_BASE_URL: address, OPENAI_API_KEY: placeholder };
    case "google":
      return { GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: placeholder, GOOGLE_API_KEY: placeholder };
  }
}
