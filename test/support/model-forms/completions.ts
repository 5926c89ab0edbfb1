import { type Form, json, nextId, words } from "./form.ts";

/** OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat/streaming */
export const completions: Form = {
  path: /\/chat\/completions$/u,
  speakers: ({ tools = [], messages = [] }) =>
    tools.length === 0
      ? undefined
      : messages.map(({ role }) => (role === "user" ? "user" : role === "assistant" ? "model" : "tool")),
  answer(reply, { body: { model, stream = false } }, { text = "", tools = [] }) {
    const id = nextId();
    const calls = tools.map(({ name, args }, index) => ({
      index,
      id: `call_${id}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 };
    const base = { id: `chatcmpl-${id}`, created: 1, model };
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
    for (const word of words(text)) send({ content: word });
    if (calls.length > 0) send({ tool_calls: calls });
    send({}, finish, { usage });
    reply.end("data: [DONE]\n\n");
  },
};
