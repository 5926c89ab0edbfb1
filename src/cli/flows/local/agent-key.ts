import { FerryError } from "../../../base/errors.ts";
import { findFolders } from "../../../base/folders.ts";
import { readConfig } from "../../config/config.ts";
import type { Context } from "../../context.ts";

/** More is no key. */
const limit = 16 * 1024;

/**
 * Keeps a key for an agent's model provider with the embedded service, asked for unseen or read from stdin. Gives the name of the
 * variable that it stands in for.
 * @throws FerryError usage where the agent needs none, or no key was given
 */
export async function keepKey(context: Context, agent: string, fromStdin: boolean): Promise<string> {
  const { host, interactive } = context;
  const variables = await variablesOf(context, agent);
  if (!fromStdin && !interactive) throw new FerryError("usage", "no key was given", { hint: "pipe it in: --with-token" });
  const text = fromStdin ? Buffer.from(await host.terminal.stdin.read(limit)).toString("utf8") : await askUnseen(context, agent);
  const key = text.trim();
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/u.test(key)) throw new FerryError("usage", key === "" ? "the key is empty" : "this is no key");
  const variable = variableOf(key, variables);
  const { keepModelKey } = await import("../../../service/agent/key-file.ts");
  await keepModelKey(host.files, findFolders(host).data, variable, key);
  return variable;
}

/** Forgets what was kept for an agent's providers, which other agents may share. */
export async function forgetKeys(context: Context, agent: string): Promise<null> {
  const { host } = context;
  const variables = await variablesOf(context, agent);
  const { keepModelKey } = await import("../../../service/agent/key-file.ts");
  for (const variable of variables) await keepModelKey(host.files, findFolders(host).data, variable, "");
  return null;
}

function askUnseen({ host }: Context, agent: string): Promise<string> {
  return host.prompt.hidden(`Key for ${agent}`);
}

/** Those of its providers, the usual one first. */
async function variablesOf({ host }: Context, agent: string): Promise<string[]> {
  const { keyVariables } = await import("../../../service/agent/agents.ts");
  const { configuredAgents } = await import("../../../service/agent/installed/configured.ts");
  const configured = configuredAgents((await readConfig(host)).settings ?? {});
  const variables = keyVariables(agent, configured);
  if (variables.length > 0) return variables;
  throw new FerryError("usage", `there is no agent "${agent}" that needs a key`, { hint: "see ferry service agents" });
}

/** Which provider's it is, by its beginning; where that says nothing, the first one's. */
function variableOf(key: string, variables: readonly string[]): string {
  const forms: readonly (readonly [RegExp, string])[] = [
    [/^sk-ant-oat/u, "CLAUDE_CODE_OAUTH_TOKEN"],
    [/^sk-ant-/u, "ANTHROPIC_API_KEY"],
    [/^AIza/u, "GEMINI_API_KEY"],
    [/^sk-/u, "OPENAI_API_KEY"],
  ];
  const fitting = forms.find(([form, variable]) => form.test(key) && variables.includes(variable));
  return fitting?.[1] ?? variables[0] ?? "";
}
