import * as acp from "@agentclientprotocol/sdk";
import { FerryError } from "../../base/errors.ts";
import type { ProtocolWishes } from "./agent.ts";

export interface Opening {
  /** The agent's name, for messages. */
  readonly name: string;
  /** The working folder as it is seen from inside of the sandbox. */
  readonly cwd: string;
  /** ferry's version, which the agent is told. */
  readonly version: string;
  readonly wishes: ProtocolWishes;
  /** The agent's own name of an earlier session to go on with, where it can. */
  readonly resume?: string;
  /** The MCP servers that it is given. */
  readonly servers?: readonly acp.McpServer[];
}

export interface Opened {
  readonly sessionId: string;
  /** Whether a later process of the agent can go on with this session. */
  readonly resumable: boolean;
  /** Whether it is the session that was to be gone on with. */
  readonly resumed: boolean;
}

/** An agent names its sessions as it likes; what is longer isn't kept. */
const longestName = 1000;

/**
 * Begins with an agent: initialize, sign in where that must be asked for, and a session: the one to go on with where the agent can,
 * else a new one.
 * @throws FerryError failure for another version of the protocol, acp.RequestError for what the agent refuses
 */
export async function openSession(agent: acp.ClientContext, opening: Opening): Promise<Opened> {
  const { wishes, resume = "" } = opening;
  const { authMethods = [], agentCapabilities } = await greet(agent, opening);
  if (authMethods.some(({ id }) => id === wishes.authMethod))
    await agent.request(acp.methods.agent.authenticate, { methodId: wishes.authMethod });
  const ways = waysBack(agentCapabilities);
  const earlier = resume === "" ? undefined : await goOn(agent, opening, ways);
  const session: acp.NewSessionResponse = earlier ?? (await agent.request(acp.methods.agent.session.new, placeOf(opening)));
  await adjust(agent, session, wishes);
  const { sessionId } = session;
  return { sessionId, resumable: ways.length > 0 && sessionId.length <= longestName, resumed: earlier !== undefined };
}

async function greet(agent: acp.ClientContext, { name, version }: Opening): Promise<acp.InitializeResponse> {
  const answer = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
      session: { notices: {}, compaction: {} },
    },
    clientInfo: { name: "ferry", version },
  });
  if (answer.protocolVersion !== acp.PROTOCOL_VERSION)
    throw new FerryError(
      "failure",
      `the agent "${name}" speaks version ${answer.protocolVersion} of ACP, ferry version ${acp.PROTOCOL_VERSION}`,
    );
  return answer;
}

type WayBack = typeof acp.methods.agent.session.resume | typeof acp.methods.agent.session.load;

/** `session/load` tells the whole history again, which nobody here needs: `session/resume` comes first where there is both. */
function waysBack(capabilities: acp.AgentCapabilities | undefined): WayBack[] {
  return [
    ...(capabilities?.sessionCapabilities?.resume == null ? [] : [acp.methods.agent.session.resume]),
    ...(capabilities?.loadSession === true ? [acp.methods.agent.session.load] : []),
  ];
}

/** The earlier session; undefined where the agent doesn't have it (any more), which is no fault. */
async function goOn(
  agent: acp.ClientContext,
  opening: Opening,
  [way, ...others]: readonly WayBack[],
): Promise<acp.NewSessionResponse | undefined> {
  if (way === undefined) return undefined;
  const { resume = "" } = opening;
  try {
    // Some answer a load with null.
    const answer = (await agent.request(way, { sessionId: resume, ...placeOf(opening) })) as acp.LoadSessionResponse | null;
    return { ...answer, sessionId: resume };
  } catch (error) {
    // Qwen offers both, and has only one.
    if (error instanceof acp.RequestError) return goOn(agent, opening, others);
    throw error;
  }
}

function placeOf({ cwd, servers = [] }: Opening): { cwd: string; mcpServers: acp.McpServer[] } {
  return { cwd, mcpServers: [...servers] };
}

/** Sets what is wished and there is; an agent that has no such choice works as it does. */
async function adjust(
  agent: acp.ClientContext,
  { sessionId, modes, configOptions }: acp.NewSessionResponse,
  { mode, model }: ProtocolWishes,
): Promise<void> {
  if (modes?.availableModes.some(({ id }) => id === mode) === true)
    await agent.request(acp.methods.agent.session.setMode, { sessionId, modeId: mode });
  const models = configOptions?.find(({ category }) => category === "model");
  if (model !== "" && models?.type === "select")
    await agent.request(acp.methods.agent.session.setConfigOption, { sessionId, configId: models.id, value: model });
}
