import type { Payload } from "../../wire/event.ts";

/**
 * What of an agent's words an event holds at most, with what tells of the rest: characters of a text (a message, an output) and of a
 * word (a path, a title, a query: PATH_MAX is as much), and items of a list. What is larger is for no reader, and would be stored all the
 * same, and sent to each follower.
 */
const most = { text: 1024 * 1024, word: 4096, items: 300 };
/** Characters that are left for what tells of the rest. */
const noteRoom = 64;
/** Characters of a text that are kept. */
export const mostKept = most.text - noteRoom;

/** The fields that hold texts. */
const texts: ReadonlySet<string> = new Set(["message", "question", "command", "output", "diff"]);

/** The payload with all that is too long in it cut, and what was cut told in its place; cut once, it stays as it is. What the user wrote isn't cut. */
export function boundedPayload<P extends Payload>(payload: P): P {
  return payload.type === "user_message" || payload.type === "user_ask_user_response" ? payload : (bounded(payload, "") as P);
}

/** Tells at the end of a text's beginning how much of it isn't there. */
export function withRest(beginning: string, left: number): string {
  return left === 0 ? beginning : `${beginning}\n[… ${left} characters left out …]`;
}

function bounded(value: unknown, name: string): unknown {
  if (typeof value === "string") return texts.has(name) ? boundedText(value) : boundedWord(value);
  if (Array.isArray(value)) return boundedList(value as readonly unknown[], name);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, bounded(field, key)]));
}

function boundedList(list: readonly unknown[], name: string): unknown[] {
  if (list.length <= most.items) return list.map((item) => bounded(item, name));
  const kept = list.slice(0, most.items - 1).map((item) => bounded(item, name));
  const note = `[… ${list.length - kept.length} more left out …]`;
  const [first] = kept;
  if (typeof first === "string") return [...kept, note];
  // An entry of a plan. Of other lists nothing but their number of items can tell.
  return typeof first === "object" && first !== null && "content" in first ? [...kept, { ...first, content: note }] : kept;
}

function boundedText(text: string): string {
  if (text.length <= most.text) return text;
  const kept = beginningOf(text, mostKept);
  return withRest(kept, text.length - kept.length);
}

function boundedWord(word: string): string {
  if (word.length <= most.word) return word;
  const kept = beginningOf(word, most.word - noteRoom);
  return `${kept}[… ${word.length - kept.length} characters left out …]`;
}

/** Without half of a character at its end. */
function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/u, "");
}
