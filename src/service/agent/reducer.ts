import type { ContentBlock, SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentChange } from "./agent.ts";

/** Turns one turn's updates into timeline changes. Pure but for what it remembers of the turn. */
export interface Reducer {
  push(update: SessionUpdate): AgentChange[];
  /** What is still to be told when the turn is over, however it ended. */
  end(): AgentChange[];
}

/** `repositoryId` is the session's repository, which the payloads name. */
export function makeReducer(repositoryId: string): Reducer {
  const calls = new Map<string, Call>();
  const message = new Message();

  function callChanges(update: ToolCall | ToolCallUpdate): AgentChange[] {
    const known = calls.get(update.toolCallId);
    const call = merge(known, update);
    calls.set(update.toolCallId, call);
    if (known !== undefined && isOver(known)) return [];
    const changes: AgentChange[] = [];
    if (call.kind === "execute") changes.push(commandEvent(call, repositoryId));
    if (isOver(call) && mayWrite(call)) changes.push({ type: "worked" });
    return changes;
  }

  return {
    push(update) {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          return message.push(update.content, update.messageId ?? undefined);
        case "tool_call":
        case "tool_call_update":
          return [...message.flush(), ...callChanges(update)];
        case "plan":
          return [...message.flush(), planEvent(update.entries)];
        default:
          // Thoughts, replays and the client's own controls are not for the timeline.
          return [];
      }
    },
    end: () => message.flush(),
  };
}

/** A tool call as far as it is known: agents tell it in pieces, and any piece may come first. */
interface Call {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly status: string;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly output: string;
}

function merge(known: Call | undefined, update: ToolCall | ToolCallUpdate): Call {
  return {
    id: update.toolCallId,
    title: update.title ?? known?.title ?? "",
    kind: update.kind ?? known?.kind ?? "other",
    status: update.status ?? known?.status ?? "pending",
    rawInput: update.rawInput ?? known?.rawInput,
    rawOutput: update.rawOutput ?? known?.rawOutput,
    // ACP: the content of an update takes the place of what was there.
    output: update.content == null ? (known?.output ?? "") : update.content.map(textOf).join(""),
  };
}

function textOf(content: NonNullable<ToolCall["content"]>[number]): string {
  return content.type === "content" && content.content.type === "text" ? content.content.text : "";
}

function isOver({ status }: Call): boolean {
  return status === "completed" || status === "failed";
}

function mayWrite({ kind }: Call): boolean {
  return !["read", "search", "think", "fetch"].includes(kind);
}

function commandEvent(call: Call, repositoryId: string): AgentChange {
  const done = isOver(call);
  const exit = field(call.rawOutput, "exit_code");
  const signal = field(call.rawOutput, "signal");
  const duration = field(call.rawOutput, "duration_ms");
  const cut = field(call.rawOutput, "cut");
  const command = field(call.rawInput, "command");
  return {
    type: "event",
    key: call.id,
    done,
    payload: {
      type: "agent_run_repository_command",
      repository_id: repositoryId,
      command: typeof command === "string" ? command : call.title,
      output: call.output,
      exit_code: typeof exit === "number" ? exit : null,
      ...(typeof signal === "string" && { signal }),
      ...(typeof duration === "number" && { duration_ms: duration }),
      ...(typeof cut === "number" && cut > 0 && { cut }),
    },
  };
}

function planEvent(
  entries: readonly { content: string; status: "pending" | "in_progress" | "completed"; priority: string }[],
): AgentChange {
  const payload = {
    type: "agent_plan_execution_update" as const,
    entries: entries.map(({ content, status, priority }) => ({ content, status, priority })),
  };
  // A plan replaces the one before: one event for a turn, updated in place.
  return { type: "event", key: "plan", payload, done: true };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Messages come word by word; one is over when another begins or the agent does something else. */
class Message {
  private text = "";
  private id: string | undefined;
  private count = 0;

  push(content: ContentBlock, id: string | undefined): AgentChange[] {
    if (content.type !== "text" || content.text === "") return [];
    const before = id === this.id ? [] : this.flush();
    this.id = id;
    this.text += content.text;
    return [...before, { type: "delta", text: content.text }];
  }

  flush(): AgentChange[] {
    if (this.text === "") return [];
    const payload = { type: "agent_message" as const, message: this.text };
    this.text = "";
    return [{ type: "event", key: `message ${this.count++}`, payload, done: true }];
  }
}
