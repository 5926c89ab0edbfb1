import type { SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { oneLine } from "../../../base/text.ts";
import type { AgentChange } from "../agent.ts";
import { type Call, isOver, merge } from "./call.ts";
import { commandPayload } from "./command.ts";
import { inquiryPayload, type Scene } from "./inquiry.ts";
import { Message } from "./message.ts";
import { planEvent, todosOf } from "./plan.ts";

/** Turns one turn's updates into timeline changes. Pure but for what it remembers of the turn. */
export interface Reducer {
  push(update: SessionUpdate): AgentChange[];
  /** A call that the agent asks permission for: some tell of it here first, or here alone. */
  ask(call: ToolCallUpdate): AgentChange[];
  /** What a call is called, where it was told of before. */
  titleOf(id: string): string | undefined;
  /** What is still to be told when the turn is over, however it ended. */
  end(): AgentChange[];
}

/** Calls that are remembered while they aren't over, and altogether: an agent that tells of more has them told in pieces. */
const mostOpen = 64;
const mostCalls = 10_000;

/** In USD: what an agent says beyond is no account of anything. */
const mostCost = 1_000_000;

type Cost = { readonly currency: string; readonly amount: number } | null | undefined;

function isCost(cost: Cost): cost is NonNullable<Cost> {
  return cost?.currency === "USD" && cost.amount >= 0 && cost.amount <= mostCost;
}

/**
 * What an agent did to files is not taken from what it says: diffs come as fragments, relative, several in a call or not at all. Git
 * tells it, asked after each call that may have changed one.
 */
export function makeReducer(scene: Scene): Reducer {
  const calls = new Map<string, Call>();
  const open = new Set<string>();
  const message = new Message();
  let notices = 0;

  function callChanges(update: ToolCall | ToolCallUpdate): AgentChange[] {
    const known = calls.get(update.toolCallId);
    const call = merge(known, update);
    remember(calls, open, call);
    if (known !== undefined && isOver(known)) return [];
    const look = isOver(call) && mayWrite(call) && todosOf(call).length === 0;
    return [...told(call, scene), ...(look ? [{ type: "worked" } as const] : [])];
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
        case "notice": {
          const text = [update.title, update.description ?? ""].filter((part) => part !== "").join(": ");
          return [...message.flush(), note(`notice ${notices++}`, text)];
        }
        case "compaction_update":
          if (update.status !== "completed") return [];
          return [...message.flush(), note(`notice ${notices++}`, "the agent summed up the conversation so far, to make room")];
        case "usage_update":
          return isCost(update.cost) ? [{ type: "cost", total: update.cost.amount }] : [];
        default:
          // Thoughts, replays and the client's own controls are not for the timeline.
          return [];
      }
    },
    ask: (call) => [...message.flush(), ...callChanges(call)],
    titleOf: (id) => calls.get(id)?.title,
    end: () => message.flush(),
  };
}

/** Of one that is over, or was open for too long, only that it was is kept: it can't fill the memory. */
function remember(calls: Map<string, Call>, open: Set<string>, call: Call): void {
  open.delete(call.id);
  if (calls.size >= mostCalls && !calls.has(call.id)) return;
  calls.set(call.id, isOver(call) ? emptied(call) : call);
  if (!isOver(call)) open.add(call.id);
  const [oldest] = open;
  if (open.size <= mostOpen || oldest === undefined) return;
  open.delete(oldest);
  calls.delete(oldest);
}

function emptied(call: Call): Call {
  return { ...call, input: {}, rawOutput: undefined, content: "", locations: [], terminal: { output: "", exit: {} } };
}

function told(call: Call, scene: Scene): AgentChange[] {
  const done = isOver(call);
  if (call.kind === "execute") {
    // Until it is known what runs there is nothing to show: the title is "Terminal" then, or the tool's name.
    if (call.status === "pending" && call.input["command"] === undefined) return [];
    return [{ type: "event", key: call.id, done, payload: commandPayload(call, scene.repositoryId) }];
  }
  const todos = todosOf(call);
  if (todos.length > 0) return [planEvent(todos)];
  const payload = done ? inquiryPayload(call, scene) : undefined;
  return payload === undefined ? [] : [{ type: "event", key: call.id, done, payload }];
}

function mayWrite({ kind }: Call): boolean {
  return !["read", "search", "think", "fetch", "switch_mode"].includes(kind);
}

function note(key: string, text: string): AgentChange {
  return { type: "event", key, payload: { type: "system_message", message: oneLine(text) }, done: true };
}
