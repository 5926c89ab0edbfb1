import { cut, harmless, oneLine } from "../../../base/text.ts";
import type { TimelineEvent } from "../../../client/timeline/items.ts";
import type { Payloads } from "../../../wire/event.ts";
import type { Known } from "../../../wire/known.ts";
import type { EventType } from "../../../wire/values.ts";

/** What a payload says, read as what it should be: whatever else the service sent there is taken for nothing. */
export interface Fields<Name extends string> {
  /** On one line, harmless, not endless. */
  word(name: Name): string;
  /** With its line breaks, harmless. */
  text(name: Name): string;
  /** As it came: for what parses it. */
  raw(name: Name): string;
  words(name: Name): string[];
  number(name: Name): number | undefined;
  flag(name: Name): boolean | undefined;
  /** The objects of a list; a bare text stands for one that has it as the field `by`, and so does any other value, as JSON. */
  list(name: Name, by: string): Readonly<Record<string, unknown>>[];
  /** Whether there is a list of that name, be it empty. */
  hasList(name: Name): boolean;
  object(name: Name): Readonly<Record<string, unknown>>;
}

/** The names are those of the type's payload: a wrong one doesn't compile. */
export function fieldsOf<T extends EventType>(event: TimelineEvent, _type: T): Fields<keyof Known<Payloads[T]> & string> {
  return readFields(asObject(event.payload));
}

export function readFields(payload: Readonly<Record<string, unknown>>): Fields<string> {
  const raw = (name: string): string => textOf(payload[name]);
  const all = (name: string): unknown[] => (Array.isArray(payload[name]) ? (payload[name] as unknown[]) : []);
  return {
    raw,
    text: (name) => harmless(raw(name)),
    word: (name) => wordOf(payload[name]),
    words: (name) =>
      all(name)
        .map(wordOf)
        .filter((word) => word !== ""),
    number: (name) => (typeof payload[name] === "number" ? payload[name] : undefined),
    flag: (name) => (typeof payload[name] === "boolean" ? payload[name] : undefined),
    list: (name, by) => all(name).map((item) => (isFields(item) ? item : { [by]: textOf(item) || JSON.stringify(item) })),
    hasList: (name) => Array.isArray(payload[name]),
    object: (name) => asObject(payload[name]),
  };
}

/** What an option of a question is called. The seed doesn't show one: other services have the text under another name. */
export function optionName(option: Readonly<Record<string, unknown>>): string {
  const names = ["name", "label", "title", "text", "value", "id"].map((name) => textOf(option[name]).trim());
  return names.find((name) => name !== "") ?? JSON.stringify(option);
}

/** A value as one harmless line. */
export function wordOf(value: unknown): string {
  return cut(oneLine(textOf(value).slice(0, 2000)), 500);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
