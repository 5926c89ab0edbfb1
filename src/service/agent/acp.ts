import * as acp from "@agentclientprotocol/sdk";
import { asFerryError, FerryError } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { SandboxProcess } from "../sandbox/driver.ts";
import type { Agent, AgentChange, TurnEnd } from "./agent.ts";
import type { Ask } from "./ask/question.ts";
import { fillIn } from "./ask/form.ts";
import { fieldsOf, textIn } from "./reducer/fields.ts";
import { type Opening, openSession } from "./opening.ts";
import { permit, type PermissionPolicy } from "./ask/permission.ts";
import { reasonOf } from "./reason.ts";
import { makeReducer, type Reducer } from "./reducer/reducer.ts";

export interface AcpOptions extends Opening {
  readonly repositoryId: string;
  /** As it is now: an agent that runs already is held to it at its next request. */
  readonly permissions: () => Promise<PermissionPolicy>;
}

/** No sane update is larger; a hostile one is refused before it fills the memory. */
const maxMessageBytes = 8 * 1024 * 1024;

/**
 * Speaks the Agent Client Protocol, version 1, with an agent over a sandboxed process's pipes: initialize, then a session.
 * Neither fs nor terminal is offered: the agent works in its sandbox, never through us.
 * @throws FerryError failure where it doesn't speak it, wants a login first, or dies
 */
export async function connectAgent(child: SandboxProcess, options: AcpOptions): Promise<Agent> {
  let turn:
    { readonly reducer: Reducer; readonly tell: (changes: readonly AgentChange[]) => void; readonly ask: Ask } | undefined;
  let strays = 0;
  let writing: Promise<void> | undefined;
  const connection = acp
    .client({ name: "ferry" })
    // At once, not after a turn of the event loop: what comes before the prompt's answer, or before a question, is told before it. For
    // that it is the first handler, since the SDK asks one after the other. Outside of a turn it is an earlier session told again
    // (session/load), which the timeline has already.
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      if (turn === undefined) strays += 1;
      else turn.tell(turn.reducer.push(params.update));
    })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      turn?.tell(turn.reducer.ask(params.toolCall));
      // Some name it only when it begins.
      const title = params.toolCall.title ?? turn?.reducer.titleOf(params.toolCall.toolCallId) ?? "";
      const request = { ...params, toolCall: { ...params.toolCall, title } };
      // Where it can't be known, nobody has said that the agent may.
      const policy = await options.permissions().catch(() => "ask" as const);
      return { outcome: await permit(request, policy, turn?.ask ?? nobody) };
    })
    .onRequest(acp.methods.client.elicitation.create, ({ params }) => fillIn(params, turn?.ask ?? nobody))
    .connect(
      acp.ndJsonStream(toWeb(child.stdin), ReadableStream.from(paced(child.stdout as AsyncIterable<Uint8Array>, () => writing)), {
        maxMessageBytes,
      }),
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
  const { sessionId, resumable, resumed } = await ask(openSession(agent, options));
  return {
    session: resumable ? sessionId : "",
    resumed,
    strays: () => strays,
    async prompt(text, report, askUser, past = "") {
      const reducer = makeReducer(options);
      const tell = (changes: readonly AgentChange[]) => {
        for (const change of changes) writing = report(change) ?? undefined;
      };
      turn = { reducer, tell, ask: askUser };
      try {
        const parts = past === "" ? [text] : [past, text];
        const prompt = parts.map((part) => ({ type: "text" as const, text: part }));
        const answer: Promise<unknown> = agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
        return turnEnd(textIn(fieldsOf(await ask(answer)), "stopReason"));
      } catch (error) {
        throw error instanceof acp.RequestError
          ? new FerryError("failure", reasonOf(error), { cause: error })
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

/** What the agent says, no faster than what it said before can be written down. */
async function* paced(stdout: AsyncIterable<Uint8Array>, writing: () => Promise<void> | undefined): AsyncIterable<Uint8Array> {
  for await (const chunk of stdout) {
    // That it fails is told to whoever awaits the turn's record.
    await writing()?.catch(() => undefined);
    yield chunk;
  }
}

/** Waits for each piece to be taken, so that a stuck agent can't fill the memory. */
function toWeb(stdin: NodeJS.WritableStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) => new Promise((resolve, reject) => stdin.write(chunk, (error) => (error ? reject(error) : resolve()))),
  });
}

/** Between two turns there is nobody to ask. */
const nobody: Ask = () => Promise.resolve(undefined);

/** The SDK doesn't look at what an agent answers. */
function turnEnd(reason: string): TurnEnd {
  const end = ends.get(reason);
  if (end === undefined) throw new FerryError("failure", "the agent's turn ended in a way that ACP doesn't have");
  return end;
}

const ends: ReadonlyMap<string, TurnEnd> = new Map<acp.StopReason, TurnEnd>([
  ["end_turn", { outcome: "completed", remark: "" }],
  ["cancelled", { outcome: "canceled", remark: "" }],
  ["max_tokens", { outcome: "completed", remark: "the agent stopped: its answer reached the limit of tokens" }],
  ["max_turn_requests", { outcome: "completed", remark: "the agent stopped: the turn reached the limit of model requests" }],
  ["refusal", { outcome: "completed", remark: "the agent refused to go on" }],
]);

function describe({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal === null ? `exit status ${code ?? "unknown"}` : signal;
}

function lastWords(child: SandboxProcess): string {
  const line = child.stderrTail().trimEnd().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${oneLine(line)}`;
}
