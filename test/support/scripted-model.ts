import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { completions } from "./model-forms/completions.ts";
import { type Form, json, type ModelBody, type Speaker, type Step } from "./model-forms/form.ts";
import { generate } from "./model-forms/generate.ts";
import { messages } from "./model-forms/messages.ts";
import { responses } from "./model-forms/responses.ts";

/** One call, as the provider saw it. */
export interface ModelCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ModelBody;
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  readonly calls: readonly ModelCall[];
  /** What it says in the turns from now on, step by step; then it says that it is done. */
  play(...steps: readonly Step[]): void;
  close(): Promise<void>;
}

const forms: readonly Form[] = [completions, messages, responses, generate];

/**
 * A provider of models on loopback that speaks the interfaces of OpenAI, Anthropic and Google, and says what the test wants. The step
 * is told from the conversation itself: how often the agent came back with results since the user spoke.
 */
export async function makeScriptedModel(): Promise<ScriptedModel> {
  const calls: ModelCall[] = [];
  let script: readonly Step[] = [];
  const server = createServer((request, reply) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString("utf8");
      const body = (text === "" ? {} : JSON.parse(text)) as ModelBody;
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      calls.push({ path, headers: request.headers, body });
      const form = forms.find((candidate) => candidate.path.test(path));
      if (path.endsWith("/count_tokens")) json(reply, { input_tokens: 10 });
      else if (path.endsWith(":countTokens")) json(reply, { totalTokens: 10 });
      else if (form === undefined) reply.writeHead(404).end();
      else {
        const step = stepOf(form.speakers(body), script);
        await step.wait;
        form.answer(reply, { path, body }, step);
      }
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}`,
    calls,
    play: (...steps) => void (script = steps),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function stepOf(speakers: readonly Speaker[] | undefined, script: readonly Step[]): Step {
  if (speakers === undefined) return { text: "A title" };
  const since = speakers.slice(speakers.lastIndexOf("user") + 1);
  // What a model says in one go is several entries in some forms.
  const answers = since.filter((speaker, at) => speaker === "model" && since[at - 1] !== "model").length;
  return script[answers] ?? { text: "All done." };
}
