import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentChange } from "../agent.ts";
import { mostKept, withRest } from "../bounded-payload.ts";

/** Messages come word by word; one is over when another begins or the agent does something else. */
export class Message {
  private text = "";
  private id: string | undefined;
  private count = 0;
  private left = 0;

  push(content: ContentBlock, id: string | undefined): AgentChange[] {
    if (content.type !== "text" || content.text === "") return [];
    const before = id === this.id ? [] : this.flush();
    this.id = id;
    const text = content.text.slice(0, mostKept - this.text.length);
    this.text += text;
    this.left += content.text.length - text.length;
    return text === "" ? before : [...before, { type: "delta", text }];
  }

  flush(): AgentChange[] {
    if (this.text === "") return [];
    const payload = { type: "agent_message" as const, message: withRest(this.text, this.left) };
    this.text = "";
    this.left = 0;
    return [{ type: "event", key: `message ${this.count++}`, payload, done: true }];
  }
}
