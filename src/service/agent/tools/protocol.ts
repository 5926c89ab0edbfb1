import type { ToolBox } from "./tool-box.ts";

/**
 * Speaks the Model Context Protocol over a connection from a sandbox: line by line, each answered before the next is read, so that
 * nobody can make it hold more than one. Only what an agent needs for tools: initialize, ping, tools/list, tools/call.
 *
 * By hand, in 60 lines: the protocol's own SDK for servers would add 310 kB to the bundle, and reads lines of any length.
 * @param lines what the agent sends
 */
export async function* speakMcp(lines: AsyncIterable<string>, box: ToolBox, version: string): AsyncGenerator<string> {
  for await (const line of lines) {
    const answer = await answerTo(line, box, version);
    if (answer !== undefined) yield `${JSON.stringify({ jsonrpc: "2.0", ...answer })}\n`;
  }
}

/** Those in which these four methods are the same; the newest first. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const instructions =
  "Tools of ferry, the service that this session runs in. There is no network here and no remote with a password: use these to compare," +
  " to bring in branches of the repository's origin, to push this session's branch, and to undo.";

interface Failure {
  readonly code: number;
  readonly message: string;
}

type Id = string | number | null;
type Answer = { readonly id: Id; readonly result: object } | { readonly id: Id; readonly error: Failure };

async function answerTo(line: string, box: ToolBox, version: string): Promise<Answer | undefined> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { id: null, error: { code: -32700, message: "this is no JSON" } };
  }
  const { id, method, params } = fields(message);
  // A notification, or an answer to what was never asked.
  if (typeof method === "string" && id === undefined) return undefined;
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number"))
    return { id: null, error: { code: -32600, message: "this is no request" } };
  switch (method) {
    case "initialize": {
      const asked = versions.find((known) => known === fields(params)["protocolVersion"]);
      const serverInfo = { name: "ferry", version };
      return { id, result: { protocolVersion: asked ?? versions[0], capabilities: { tools: {} }, serverInfo, instructions } };
    }
    case "ping":
      return { id, result: {} };
    case "tools/list":
      return { id, result: { tools: box.tools } };
    case "tools/call": {
      const { name, arguments: args = {} } = fields(params);
      if (!box.tools.some((tool) => tool.name === name) || typeof name !== "string")
        return { id, error: { code: -32602, message: "there is no such tool" } };
      const { text, failed } = await box.call(name, args);
      return { id, result: { content: [{ type: "text", text }], isError: failed } };
    }
    default:
      return { id, error: { code: -32601, message: "ferry doesn't know this method" } };
  }
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
