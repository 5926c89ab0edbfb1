import { Argument } from "commander";
import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";
import { type AgentReport, listServedAgents } from "../../flows/local/agents.ts";
import { forgetKeys, keepKey } from "../../flows/local/agent-key.ts";
import { forgetAgent, signInAgent } from "../../flows/local/agent-sign-in.ts";
import { showList } from "../../output/show.ts";
import type { Column } from "../../output/table.ts";
import type { Verb } from "../../verb.ts";

interface Options {
  readonly withToken: boolean;
  readonly subscription: boolean;
}

type Action = "login" | "logout";

const agentFields = ["name", "program", "version", "key", "ready", "remedy", "last_turn"];
/** Of `login` and `logout`. */
const keyFields = ["agent", "variable"];

const columns: readonly Column<ReturnType<typeof shown>>[] = [
  { header: "AGENT", value: ({ name }) => name },
  { header: "VERSION", whole: true, value: ({ program, version }) => (program === null ? "not installed" : version) },
  { header: "KEY", spare: 1, whole: true, value: ({ key }) => key },
  { header: "LAST TURN", spare: 2, value: ({ last_turn: turn }, terminal) => turn && lastTurn(turn.failure, terminal) },
  {
    header: "TO DO",
    prose: true,
    // A terminal has no room for a sentence in two columns.
    value: ({ remedy, last_turn: turn }, terminal) =>
      [remedy, ...(terminal && turn?.failure ? [`the last turn failed: ${turn.failure}`] : [])].filter(Boolean).join("; "),
  },
];

function lastTurn(failure: string, terminal: boolean): string {
  if (failure === "") return "went well";
  return terminal ? "failed" : failure;
}

export const agents: Verb = {
  name: "agents",
  summary: "Show which agents there are on this machine, or give one its key",
  answer: (_: Options, action?: Action) => (action === undefined ? agentFields : keyFields),
  description:
    "Show which agents the embedded service can run on this machine, with the keys that it was started with; where none runs, with those of this shell. `login` keeps a key for an agent's model provider with the service: the agent never sees it. For a Claude subscription give it what `claude setup-token` prints. Another agent's subscription is its own to sign in with: `login NAME --subscription` has it do so on this machine, in a HOME of its own, from which its sandboxes get a copy.",
  examples: [
    "ferry service agents",
    "ferry service agents login claude",
    "ferry service agents login opencode --with-token < key.txt",
    "ferry service agents login codex --subscription",
  ],
  define(command) {
    command
      .addArgument(new Argument("[action]", "give an agent's model provider a key, or forget it").choices(["login", "logout"]))
      .argument("[agent]", "the agent's name")
      .option("--with-token", "read the key from stdin", false)
      .option("--subscription", "have the agent sign in by itself, with a subscription", false);
  },
  async run(context, { withToken, subscription }: Options, action: Action | undefined, agent: string | undefined) {
    if (action === undefined) return show(context);
    if (agent === undefined)
      throw new FerryError("usage", "missing the agent's name", { hint: `ferry service agents ${action} AGENT` });
    if (action === "login" && subscription) return signIn(context, agent);
    if (action === "logout") await forgetAgent(context, agent);
    const variable = action === "login" ? await keepKey(context, agent, withToken) : await forgetKeys(context, agent);
    if (context.global.json) await context.print.json({ agent, variable });
    else
      await context.print.note(variable === null ? `no key is kept for ${agent} any more` : `${variable} is kept for ${agent}`);
  },
};

async function signIn(context: Context, agent: string): Promise<void> {
  await signInAgent(context, agent);
  if (context.global.json) await context.print.json({ agent, variable: null });
  else await context.print.note(`${agent} is signed in`);
}

function shown({ name, program, version, signedIn, ready, remedy, lastTurn }: AgentReport) {
  return {
    name,
    program: program ?? null,
    version: version ?? null,
    key: signedIn ?? null,
    ready,
    remedy,
    last_turn: lastTurn ?? null,
  };
}

async function show(context: Context): Promise<void> {
  const items = (await listServedAgents(context.host)).map(shown);
  await showList(context, { items, more: false }, columns, { known: agentFields, many: "agents" });
}
