import { type Form, nextId, type Speaker, type ToolUse, words } from "./form.ts";

/** OpenAI's responses, streamed: https://platform.openai.com/docs/api-reference/responses-streaming */
export const responses: Form = {
  path: /\/responses$/u,
  speakers: ({ tools = [], input = [] }) => (tools.length === 0 ? undefined : input.map(speakerOf)),
  answer(reply, { body: { model, tools: known = [] } }, { text = "", tools = [] }) {
    const id = nextId();
    const response = { id: `resp_${id}`, object: "response", created_at: 1, model, status: "in_progress", output: [] };
    let sequence = 0;
    const send = (type: string, value: object) =>
      reply.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...value })}\n\n`);
    reply.writeHead(200, { "content-type": "text/event-stream" });
    send("response.created", { response });
    const message = { type: "message", id: `msg_${id}`, role: "assistant", status: "completed" };
    if (text !== "") {
      send("response.output_item.added", { output_index: 0, item: { ...message, status: "in_progress", content: [] } });
      for (const word of words(text))
        send("response.output_text.delta", { item_id: message.id, output_index: 0, content_index: 0, delta: word });
    }
    const items = [
      ...(text === "" ? [] : [{ ...message, content: [{ type: "output_text", text, annotations: [] }] }]),
      ...tools.map((tool, index) => callOf(tool, `${id}_${index}`, known)),
    ];
    items.forEach((item, index) => send("response.output_item.done", { output_index: index, item }));
    const usage = { input_tokens: 100, output_tokens: 7, total_tokens: 107 };
    send("response.completed", { response: { ...response, status: "completed", output: items, usage } });
    reply.end();
  },
};

function speakerOf({ type = "message", role }: { readonly type?: string; readonly role?: string }): Speaker {
  if (type === "message") return role === "assistant" ? "model" : "user";
  return type.endsWith("_output") ? "tool" : "model";
}

/** A tool with a grammar of its own takes its input as it is, any other as JSON; an MCP server's have its name before theirs. */
function callOf({ name, args }: ToolUse, id: string, known: readonly Record<string, unknown>[]): object {
  const call = { id: `item_${id}`, call_id: `call_${id}`, status: "completed" };
  if (known.some((tool) => tool["type"] === "custom" && tool["name"] === name))
    return { ...call, type: "custom_tool_call", name, input: "input" in args ? args.input : "" };
  const [, namespace, inner = name] = /^(mcp__[a-z]+)__(\w+)$/u.exec(name) ?? [];
  return {
    ...call,
    type: "function_call",
    name: inner,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(args),
  };
}
