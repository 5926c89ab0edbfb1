import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentChange } from "../agent.ts";

/** Messages come word by word; one is over when another begins or the agent does something else. */
export class Message {
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
