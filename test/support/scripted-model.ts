import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

/** What the model says at one point of a turn: text, then calls of the agent's tools. */
export interface Step {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly args: object }[];
  /** Resolves when it may go on: for a turn that is to hang. */
  readonly wait?: Promise<void>;
}

/** One call, as the provider saw it. */
export interface ModelCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  readonly calls: readonly ModelCall[];
  /** What it says in the turns from now on, step by step; then it says that it is done. */
  play(...steps: readonly Step[]): void;
  close(): Promise<void>;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly messages?: readonly Message[];
}

/**
 * A provider of models on loopback that speaks OpenAI's chat completions and Anthropic's messages and says what the test wants. The step
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
      const body = (text === "" ? {} : JSON.parse(text)) as Body;
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      calls.push({ path, headers: request.headers, body });
      const step = stepOf(body, script);
      await step.wait;
      if (path.endsWith("/count_tokens")) json(reply, { input_tokens: 10 });
      else if (path.endsWith("/messages")) asMessages(reply, body, step);
      else if (path.endsWith("/chat/completions")) asCompletions(reply, body, step);
      else reply.writeHead(404).end();
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

/** Calls without tools are for titles and summaries. */
function stepOf({ tools = [], messages = [] }: Body, script: readonly Step[]): Step {
  if (tools.length === 0) return { text: "A title" };
  const spoken = messages.findLastIndex((message) => message.role === "user" && !isResult(message));
  const answers = messages.slice(spoken + 1).filter(({ role }) => role === "assistant").length;
  return script[answers] ?? { text: "All done." };
}

function isResult({ content }: Message): boolean {
  return Array.isArray(content) && content.some((part: { type?: string }) => part.type === "tool_result");
}

function json(reply: ServerResponse, value: object): void {
  reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

let made = 0;

/** https://platform.openai.com/docs/api-reference/chat/streaming */
function asCompletions(reply: ServerResponse, { model, stream = false }: Body, { text = "", tools = [] }: Step): void {
  made += 1;
  const calls = tools.map(({ name, args }, index) => ({
    index,
    id: `call_${made}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
  const base = { id: `chatcmpl-${made}`, created: 1, model };
  if (!stream) {
    const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) };
    json(reply, {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: finish, message }],
      usage,
    });
    return;
  }
  reply.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, reason: string | null = null, more: object = {}) =>
    reply.write(
      `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }], ...more })}\n\n`,
    );
  send({ role: "assistant", content: "" });
  for (const word of text.split(/(?<= )/u)) if (word !== "") send({ content: word });
  if (calls.length > 0) send({ tool_calls: calls });
  send({}, finish, { usage });
  reply.end("data: [DONE]\n\n");
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
function asMessages(reply: ServerResponse, { model, stream = false }: Body, { text = "", tools = [] }: Step): void {
  made += 1;
  const blocks = [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...tools.map(({ name, args }, index) => ({ type: "tool_use", id: `toolu_${made}_${index}`, name, input: args })),
  ];
  const reason = tools.length > 0 ? "tool_use" : "end_turn";
  const message = { id: `msg_${made}`, type: "message", role: "assistant", model, stop_sequence: null };
  if (!stream) {
    json(reply, { ...message, content: blocks, stop_reason: reason, usage: { input_tokens: 100, output_tokens: 7 } });
    return;
  }
  reply.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, value: object) => reply.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`);
  const started = { ...message, content: [], stop_reason: null, usage: { input_tokens: 100, output_tokens: 1 } };
  send("message_start", { message: started });
  blocks.forEach((block, index) => {
    if ("text" in block) {
      send("content_block_start", { index, content_block: { type: "text", text: "" } });
      for (const word of block.text.split(/(?<= )/u))
        send("content_block_delta", { index, delta: { type: "text_delta", text: word } });
    } else if ("input" in block) {
      send("content_block_start", { index, content_block: { ...block, input: {} } });
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      send("content_block_delta", { index, delta });
    }
    send("content_block_stop", { index });
  });
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } });
  send("message_stop", {});
  reply.end();
}
