import * as acp from "@agentclientprotocol/sdk";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { SandboxProcess } from "../sandbox/driver.ts";
import type { Agent, AgentChange, ProtocolWishes, TurnEnd } from "./agent.ts";
import type { Ask } from "./ask/question.ts";
import { fillIn } from "./ask/form.ts";
import { permit, type PermissionPolicy } from "./ask/permission.ts";
import { makeReducer, type Reducer } from "./reducer/reducer.ts";

export interface AcpOptions {
  /** The agent's name, for messages. */
  readonly name: string;
  /** The working folder as it is seen from inside of the sandbox. */
  readonly cwd: string;
  readonly repositoryId: string;
  /** ferry's version, which the agent is told. */
  readonly version: string;
  readonly wishes: ProtocolWishes;
  readonly permissions: PermissionPolicy;
}

/** No sane update is larger; a hostile one is refused before it fills the memory. */
const maxMessageBytes = 32 * 1024 * 1024;

/**
 * Speaks the Agent Client Protocol, version 1, with an agent over a sandboxed process's pipes: initialize, then session/new.
 * Neither fs nor terminal is offered: the agent works in its sandbox, never through us.
 * @throws FerryError failure where it doesn't speak it, wants a login first, or dies
 */
export async function connectAgent(child: SandboxProcess, options: AcpOptions): Promise<Agent> {
  let turn:
    { readonly reducer: Reducer; readonly tell: (changes: readonly AgentChange[]) => void; readonly ask: Ask } | undefined;
  const connection = acp
    .client({ name: "ferry" })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      turn?.tell(turn.reducer.ask(params.toolCall));
      return { outcome: await permit(params, options.permissions, turn?.ask ?? nobody) };
    })
    .onRequest(acp.methods.client.elicitation.create, ({ params }) => fillIn(params, turn?.ask ?? nobody))
    // At once, not after a turn of the event loop: what comes before the prompt's answer is told before it.
    .onNotification(acp.methods.client.session.update, ({ params }) => turn?.tell(turn.reducer.push(params.update)))
    .connect(
      acp.ndJsonStream(toWeb(child.stdin), ReadableStream.from(child.stdout as AsyncIterable<Uint8Array>), { maxMessageBytes }),
    );
  const died = child.exit.then((exit) => {
    connection.close();
    throw new FerryError("failure", `the agent "${options.name}" died (${describe(exit)})${lastWords(child)}`);
  });
  // It may die when nobody waits for it; whoever prompts it next is told.
  died.catch(() => undefined);
  const ask = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([answer, died]);
    } catch (error) {
      if (error instanceof acp.RequestError || error instanceof FerryError) throw error;
      // Its pipe ended: it died just now, and its end says more, or it is of no use any more.
      child.kill();
      return await died;
    }
  };

  const { agent } = connection;
  const sessionId = await ask(open(agent, options));
  return {
    async prompt(text, report, askUser) {
      const reducer = makeReducer(options);
      const tell = (changes: readonly AgentChange[]) => changes.forEach(report);
      turn = { reducer, tell, ask: askUser };
      try {
        const prompt = [{ type: "text" as const, text }];
        const answer: Promise<acp.PromptResponse> = agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
        return turnEnd((await ask(answer)).stopReason);
      } catch (error) {
        throw error instanceof acp.RequestError
          ? new FerryError("failure", oneLine(error.message), { cause: error })
          : asFerryError(error);
      } finally {
        turn = undefined;
        tell(reducer.end());
      }
    },
    cancel: () => agent.notify(acp.methods.agent.session.cancel, { sessionId }),
    gone: child.exit,
    close() {
      connection.close();
      child.kill();
    },
  };
}

/** Waits for each piece to be taken, so that a stuck agent can't fill the memory. */
function toWeb(stdin: NodeJS.WritableStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) => new Promise((resolve, reject) => stdin.write(chunk, (error) => (error ? reject(error) : resolve()))),
  });
}

async function open(agent: acp.ClientContext, { name, cwd, version, wishes }: AcpOptions): Promise<string> {
  const { protocolVersion, authMethods = [] } = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
      session: { notices: {}, compaction: {} },
    },
    clientInfo: { name: "ferry", version },
  });
  if (protocolVersion !== acp.PROTOCOL_VERSION)
    throw new FerryError(
      "failure",
      `the agent "${name}" speaks version ${protocolVersion} of ACP, ferry version ${acp.PROTOCOL_VERSION}`,
    );
  if (authMethods.some(({ id }) => id === wishes.authMethod))
    await agent.request(acp.methods.agent.authenticate, { methodId: wishes.authMethod });
  const session = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
  await adjust(agent, session, wishes);
  return session.sessionId;
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

/** Between two turns there is nobody to ask. */
const nobody: Ask = () => Promise.resolve(undefined);

function turnEnd(reason: acp.StopReason): TurnEnd {
  switch (reason) {
    case "end_turn":
      return { outcome: "completed", remark: "" };
    case "cancelled":
      return { outcome: "canceled", remark: "" };
    case "max_tokens":
      return { outcome: "completed", remark: "the agent stopped: its answer reached the limit of tokens" };
    case "max_turn_requests":
      return { outcome: "completed", remark: "the agent stopped: the turn reached the limit of model requests" };
    case "refusal":
      return { outcome: "completed", remark: "the agent refused to go on" };
  }
}

function describe({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal === null ? `exit status ${code ?? "unknown"}` : signal;
}

function lastWords(child: SandboxProcess): string {
  const line = child.stderrTail().trimEnd().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${oneLine(line)}`;
}
