import { Argument } from "commander";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { type AgentReport, listAgents } from "../../flows/local/agents.ts";
import { forgetKey, keepKey } from "../../flows/local/agent-key.ts";
import { showList } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly withToken: boolean;
}

const columns: readonly Column<AgentReport>[] = [
  { header: "AGENT", value: ({ name }) => name },
  { header: "VERSION", value: ({ program, version }) => (program === undefined ? "not installed" : version) },
  { header: "KEY", value: ({ signedIn }) => signedIn },
  {
    header: "LAST TURN",
    value: ({ lastTurn }) => lastTurn && (lastTurn.failure === "" ? "went well" : oneLine(lastTurn.failure)),
  },
  { header: "TO DO", value: ({ remedy }) => (remedy === "" ? undefined : oneLine(remedy)) },
];

export const agents: Verb = {
  name: "agents",
  summary: "Show which agents there are on this machine, or give one its key",
  description:
    "Show which agents the embedded service can run on this machine. `login` keeps a key for an agent's model provider with the service: the agent never sees it. For a Claude subscription give it what `claude setup-token` prints.",
  examples: [
    "ferry service agents",
    "ferry service agents login claude",
    "ferry service agents login opencode --with-token < key.txt",
  ],
  define(command) {
    command
      .addArgument(new Argument("[action]", "give an agent's model provider a key, or forget it").choices(["login", "logout"]))
      .argument("[agent]", "the agent's name")
      .option("--with-token", "read the key from stdin", false);
  },
  async run(context, { withToken }: Options, action: "login" | "logout" | undefined, agent: string | undefined) {
    if (action === undefined) return show(context);
    if (agent === undefined)
      throw new FerryError("usage", "missing the agent's name", { hint: `ferry service agents ${action} AGENT` });
    const variable = action === "login" ? await keepKey(context, agent, withToken) : await forgetKey(context, agent);
    if (context.global.json) await context.print.json({ agent, variable, kept: action === "login" });
    else await context.print.note(`${variable} ${action === "login" ? "is kept for" : "is forgotten for"} ${agent}`);
  },
};

async function show(context: Context): Promise<void> {
  const items = (await listAgents(context.host)).map(({ lastTurn, ...agent }) => ({ ...agent, lastTurn }));
  await showList(context, { items, more: false }, columns, [
    "name",
    "program",
    "version",
    "signedIn",
    "ready",
    "remedy",
    "lastTurn",
  ]);
}
