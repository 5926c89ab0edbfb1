import type { ServerResponse } from "node:http";

/** What the model says at one point of a turn: text, then calls of the agent's tools. */
export interface Step {
  readonly text?: string;
  readonly tools?: readonly ToolUse[];
  /** Resolves when it may go on: for a turn that is to hang. */
  readonly wait?: Promise<void>;
}

export interface ToolUse {
  readonly name: string;
  readonly args: object;
}

/** Who spoke in an entry of a conversation: the user, the model, or the agent with what a tool gave. */
export type Speaker = "user" | "model" | "tool";

/** A provider's interface, as far as agents use it. */
export interface Form {
  readonly path: RegExp;
  /** Who spoke, entry by entry; undefined for a call without tools, which is for titles and summaries. */
  speakers(body: ModelBody): Speaker[] | undefined;
  answer(reply: ServerResponse, call: { readonly path: string; readonly body: ModelBody }, step: Step): void;
}

/** A request of any of the forms. */
export interface ModelBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly Record<string, unknown>[];
  /** Of chat completions, and of Anthropic's messages. */
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  /** Of OpenAI's responses. */
  readonly input?: readonly { readonly type?: string; readonly role?: string }[];
  /** Of Gemini. */
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly object[] }[];
}

export function json(reply: ServerResponse, value: object): void {
  reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A text as it is streamed. */
export function words(text: string): string[] {
  return text.split(/(?<= )/u).filter((word) => word !== "");
}

let made = 0;

/** An id that no answer had before. */
export function nextId(): number {
  made += 1;
  return made;
}
