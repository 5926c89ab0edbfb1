import { asFerryError } from "../../../base/errors.ts";
import type { Agent } from "../../agent/agent.ts";
import type { Sandbox } from "../../sandbox/driver.ts";
import type { SessionsDeps } from "../deps.ts";
import { layout } from "../repository/layout.ts";
import { packHome, unpackHome } from "./home.ts";

/** By what a session's agent can go on where an earlier process of it was. */
export interface Memory {
  /** The agent's name. */
  readonly agent: string;
  /** The agent's own name of its session. */
  readonly session: string;
  /** The last message whose turn it went through, and the timeline's revision then: what came later it may not know. */
  readonly message: string;
  readonly revision: number;
  /** What the agent said last that its session has cost, in USD. */
  readonly cost: number;
}

type Deps = Pick<SessionsDeps, "data" | "host" | "log" | "store">;

/**
 * What the session's agent remembered when its last turn ended, with its HOME put into the new sandbox; undefined where that was
 * another agent, or nothing was kept. Never throws: an agent without a memory is told of the past.
 */
export async function restoreMemory(
  { data, host, log }: Deps,
  sessionId: string,
  agent: string,
  sandbox: Sandbox,
): Promise<Memory | undefined> {
  try {
    const memory = parse(await host.files.readText(layout.agent(data, sessionId)));
    if (memory?.agent !== agent) return undefined;
    const archive = await host.files.read(layout.agentHome(data, sessionId));
    if (archive === undefined) return undefined;
    await unpackHome(sandbox, archive);
    return memory;
  } catch (error) {
    log(`session ${sessionId}: its agent's memory is lost: ${asFerryError(error).message}`);
    return undefined;
  }
}

/**
 * Keeps what the agent remembers after a turn, outside of its sandbox, so that it outlives this; gives what it is while the sandbox
 * lasts. Undefined for an agent that can't go on anyway.
 */
export async function keepMemory(
  { data, host, log, store }: Deps,
  sandbox: Sandbox,
  agent: Pick<Agent, "session">,
  turn: { readonly sessionId: string; readonly agent: string; readonly message: string; readonly cost: number },
): Promise<Memory | undefined> {
  if (agent.session === "") return undefined;
  const { sessionId, message, cost } = turn;
  const memory = { agent: turn.agent, session: agent.session, message, revision: await store.timeline.revision(sessionId), cost };
  try {
    await host.files.write(layout.agentHome(data, sessionId), await packHome(sandbox), 0o600);
    await host.files.write(layout.agent(data, sessionId), JSON.stringify(memory), 0o600);
  } catch (error) {
    await forgetMemory({ data, host }, sessionId);
    log(`session ${sessionId}: what its agent remembers goes with its sandbox: ${asFerryError(error).message}`);
  }
  return memory;
}

/** Removes what is kept of the session's agent. */
export async function forgetMemory({ data, host }: Pick<Deps, "data" | "host">, sessionId: string): Promise<void> {
  await host.files.remove(layout.agent(data, sessionId));
  await host.files.remove(layout.agentHome(data, sessionId));
}

function parse(text: string | undefined): Memory | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Memory);
}
