import type { AgentRecipe } from "../installed/recipe.ts";
import { placeholder } from "../launcher/launch.ts";

/** Claude Code, by its adapter for ACP. */
export const claude: AgentRecipe = {
  name: "claude",
  program: "claude-agent-acp",
  args: [],
  install: "npm install -g @agentclientprotocol/claude-agent-acp",
  companions: [],
  providers: ["anthropic"],
  countsAnew: true,
  variables: ["ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"],
  setUp: ([way], model) => ({
    env: {
      ANTHROPIC_BASE_URL: way?.address ?? "",
      // With a subscription's token it speaks otherwise, so it must know that it has one.
      [way?.variable === "CLAUDE_CODE_OAUTH_TOKEN" ? way.variable : "ANTHROPIC_API_KEY"]: placeholder,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      ...(model !== "" && { ANTHROPIC_MODEL: model }),
    },
  }),
};
