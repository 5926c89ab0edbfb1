import type { ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { type Fields, fieldsOf, textIn } from "./fields.ts";

/** A tool call as far as it is known: agents tell it in pieces, and any piece may come first. */
export interface Call {
  readonly id: string;
  /** The tool's own name, in lower case; "" where the agent doesn't say. */
  readonly tool: string;
  readonly title: string;
  readonly kind: string;
  readonly status: string;
  readonly input: Fields;
  readonly rawOutput: unknown;
  /** The text of its content. */
  readonly content: string;
  /** Paths as the agent wrote them. */
  readonly locations: readonly string[];
  /** What Codex tells of a command beside its content, as it comes. */
  readonly terminal: { readonly output: string; readonly exit: Fields };
}

/** A kind of ours: no command, whatever it is called. */
const mcp = "mcp";

/** Characters of a command's output that are kept while it comes. */
const mostOutput = 4 * 1024 * 1024;

export function merge(known: Call | undefined, update: ToolCall | ToolCallUpdate): Call {
  const meta = fieldsOf(update._meta);
  const input = fieldsOf(update.rawInput);
  const locations = (update.locations ?? []).map(({ path }) => path);
  return {
    id: update.toolCallId,
    // The first title is often the tool's name; later ones are for people.
    tool: known === undefined || known.tool === "" ? toolOf(update, meta) : known.tool,
    title: update.title ?? known?.title ?? "",
    kind: kindOf(known, update),
    status: update.status ?? known?.status ?? "pending",
    input: Object.keys(input).length > 0 ? input : (known?.input ?? {}),
    rawOutput: update.rawOutput ?? known?.rawOutput,
    // ACP: the content of an update takes the place of what was there.
    content: update.content == null ? (known?.content ?? "") : update.content.map(textOf).join(""),
    locations: locations.length > 0 ? locations : (known?.locations ?? []),
    terminal: terminalOf(known, meta),
  };
}

export function isOver({ status }: Call): boolean {
  return status === "completed" || status === "failed";
}

/** Codex calls a tool of an MCP server a command, and again where it asks about it. */
function kindOf(known: Call | undefined, { kind, _meta }: ToolCall | ToolCallUpdate): string {
  if (fieldsOf(_meta)["is_mcp_tool_call"] === true) return mcp;
  return known?.kind === mcp ? mcp : (kind ?? known?.kind ?? "other");
}

function toolOf({ name, title, toolCallId }: ToolCall | ToolCallUpdate, meta: Fields): string {
  const said = name ?? (textIn(fieldsOf(meta["claudeCode"]), "toolName") || textIn(meta, "toolName"));
  if (said !== "") return said.toLowerCase();
  // Gemini's ids begin with it: `read_file__1712…`.
  const [, prefix] = /^([a-z_]+?)(?:__|-\d)/u.exec(toolCallId) ?? [];
  if (prefix !== undefined && prefix !== "call" && prefix !== "toolu") return prefix;
  return /^[a-z][a-z_]*$/u.test(title ?? "") ? (title ?? "") : "";
}

function textOf(content: NonNullable<ToolCall["content"]>[number]): string {
  return content.type === "content" && content.content.type === "text" ? content.content.text : "";
}

function terminalOf(known: Call | undefined, meta: Fields): Call["terminal"] {
  const before = known?.terminal ?? { output: "", exit: {} };
  const piece =
    textIn(fieldsOf(meta["terminal_output_delta"]), "data", "delta") || textIn(fieldsOf(meta["terminal_output"]), "data");
  const exit = fieldsOf(meta["terminal_exit"]);
  // As much as a timeline would show of its end, and its beginning.
  const output = before.output + piece;
  const kept = output.length > mostOutput ? output.slice(0, mostOutput / 4) + output.slice(-mostOutput / 2) : output;
  return { output: kept, exit: Object.keys(exit).length > 0 ? exit : before.exit };
}
