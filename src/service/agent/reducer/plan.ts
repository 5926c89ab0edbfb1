import type { AgentChange } from "../agent.ts";
import type { Call } from "./call.ts";
import { fieldsOf, listIn, textIn } from "./fields.ts";

interface Entry {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly priority?: string;
}

/** A plan replaces the one before: one event for a turn, updated in place. */
export function planEvent(entries: readonly Entry[]): AgentChange {
  const payload = {
    type: "agent_plan_execution_update" as const,
    entries: entries.map(({ content, status, priority }) => ({ content, status, ...(priority !== undefined && { priority }) })),
  };
  return { type: "event", key: "plan", payload, done: true };
}

/** Some keep their plan with a tool of their own, and send no `plan`. */
export function todosOf({ input }: Call): Entry[] {
  return listIn(input, "todos").flatMap((todo) => {
    const fields = fieldsOf(todo);
    const content = textIn(fields, "content", "title", "description");
    const priority = textIn(fields, "priority");
    return content === "" ? [] : [{ content, status: statusOf(textIn(fields, "status")), ...(priority !== "" && { priority }) }];
  });
}

function statusOf(text: string): Entry["status"] {
  if (text === "completed" || text === "done" || text === "cancelled") return "completed";
  return text === "in_progress" ? "in_progress" : "pending";
}
