import { type Form, json, words } from "./form.ts";

/** Gemini's generateContent and streamGenerateContent: https://ai.google.dev/api/generate-content */
export const generate: Form = {
  path: /:(generate|streamGenerate)Content$/u,
  speakers: ({ tools = [], contents = [] }) =>
    tools.length === 0
      ? undefined
      : contents.map(({ role, parts = [] }) =>
          role === "model" ? "model" : parts.some((part) => "functionResponse" in part) ? "tool" : "user",
        ),
  answer(reply, { path }, { text = "", tools = [] }) {
    const calls = tools.map(({ name, args }) => ({ functionCall: { name, args } }));
    const chunk = (parts: readonly object[], last: boolean) => ({
      candidates: [{ index: 0, content: { role: "model", parts }, ...(last && { finishReason: "STOP" }) }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 7, totalTokenCount: 107 },
      modelVersion: "stub",
    });
    if (path.endsWith(":generateContent")) {
      json(reply, chunk([...(text === "" ? [] : [{ text }]), ...calls], true));
      return;
    }
    reply.writeHead(200, { "content-type": "text/event-stream" });
    const parts = [...words(text).map((word) => ({ text: word })), ...calls];
    parts.forEach((part, at) => reply.write(`data: ${JSON.stringify(chunk([part], at === parts.length - 1))}\n\n`));
    reply.end();
  },
};
