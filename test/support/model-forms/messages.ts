import { type Form, json, nextId, words } from "./form.ts";

/** Anthropic's messages: https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export const messages: Form = {
  path: /\/messages$/u,
  speakers: ({ tools = [], messages = [] }) =>
    tools.length === 0
      ? undefined
      : messages.map(({ role, content }) => {
          if (role === "assistant") return "model";
          // Claude Code puts reminders of a system between them, which nobody waits for an answer to.
          return role === "user" && !hasResult(content) ? "user" : "tool";
        }),
  answer(reply, { body: { model, stream = false } }, { text = "", tools = [] }) {
    const id = nextId();
    const blocks = [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...tools.map(({ name, args }, index) => ({ type: "tool_use", id: `toolu_${id}_${index}`, name, input: args })),
    ];
    const reason = tools.length > 0 ? "tool_use" : "end_turn";
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
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
        for (const word of words(block.text)) send("content_block_delta", { index, delta: { type: "text_delta", text: word } });
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
  },
};

function hasResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((part: { type?: string }) => part.type === "tool_result");
}
