import { FerryError } from "../base/errors.ts";
import type { AnswerOf } from "../wire/contract.ts";
import { digitsOf, unexpected } from "./http/json.ts";
import { routes, type RouteName } from "../wire/routes.ts";
import { printOf } from "./timeline/whole/print.ts";
import type { Tolerant } from "./tolerant.ts";

/**
 * What must be there of an answer for us to go on: `resource` has an id, `page` is a list (the envelope, also where the service
 * sends a bare array), `events` an array, `object` is one; `done` may be empty, since what matters is that it was done.
 */
const forms = {
  createProvider: "resource",
  listProviders: "page",
  updateProvider: "done",
  deleteProvider: "done",
  createRepository: "resource",
  listRepositories: "page",
  readRepository: "resource",
  updateRepository: "done",
  deleteRepository: "done",
  analyzeRepository: "done",
  readAnalysis: "object",
  createSession: "resource",
  listSessions: "page",
  readSession: "resource",
  updateSession: "done",
  readEvents: "events",
  sendMessage: "done",
  readCli: "object",
  cancelSession: "done",
  closeSession: "done",
  readPatches: "object",
  readUncommitted: "object",
  listKeys: "page",
  createKey: "resource",
  revokeKey: "done",
  listSchedules: "page",
  createSchedule: "resource",
  readSchedule: "resource",
  updateSchedule: "done",
  deleteSchedule: "done",
  runSchedule: "resource",
  listScheduleRuns: "page",
} as const satisfies Record<RouteName, Form>;

type Form = "resource" | "page" | "events" | "object" | "done";

/** What the service answers, read tolerantly. */
export type Answer<R extends RouteName> = (typeof forms)[R] extends "page"
  ? Page<ItemOf<AnswerOf<R>>>
  : (typeof forms)[R] extends "done"
    ? Tolerant<AnswerOf<R>> | undefined
    : Tolerant<AnswerOf<R>>;

/** One page of a list; `next_cursor` is missing, null or "" on the last. */
export interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor?: string | null;
}

type ItemOf<T> = T extends { items: (infer Item)[] } ? Tolerant<Item> : never;

/** The JSON of an item of a list at its place, as it came. */
type TextAt = (at: number) => string;

/**
 * The answer in the form that its type promises. `path` is what was asked, with or without its query; `text` gives an event's JSON
 * as it came, where that is known.
 * @throws FerryError unavailable where the service sent something else
 */
export function checkAnswer(route: RouteName, answer: unknown, path: string, text?: TextAt): unknown {
  const form = forms[route];
  const asked = `${routes[route].method} ${path.replace(/\?.*/su, "")}`;
  const wrong = (what: string) =>
    new FerryError("unavailable", `the service answered ${asked} with ${what}`, { code: unexpected });
  switch (form) {
    case "done":
      return isObject(answer) ? answer : undefined;
    case "object":
      if (!isObject(answer)) throw wrong("no object");
      return answer;
    case "resource":
      if (!isResource(answer)) throw wrong("an object without an id");
      return answer;
    case "events":
      return listed(answer, wrong).map((item, at) => named(item, at, text));
    case "page": {
      const items = listed(answer, wrong);
      if (!items.every(isResource)) throw wrong("a list with an entry that has no id");
      return Array.isArray(answer) ? { items } : { ...envelope(answer), items };
    }
  }
}

/** The items of a list in either form. */
function listed(answer: unknown, wrong: (what: string) => FerryError): unknown[] {
  const items = Array.isArray(answer) ? (answer as unknown[]) : envelope(answer)["items"];
  if (!Array.isArray(items)) throw wrong("no list");
  return items as unknown[];
}

/**
 * An event by whose id it is told once. One that has none, or no text for it, mustn't hide all the others: it goes by a number's
 * digits, else by what it says, so that it comes again only where it says something else.
 */
function named(item: unknown, at: number, text: TextAt | undefined): unknown {
  if (isResource(item)) return item;
  const fields = isObject(item) ? item : { payload: item };
  const { id } = fields as { readonly id?: unknown };
  return {
    ...fields,
    id: typeof id === "number" ? digitsOf(id, "id", () => text?.(at)) : `no-id-${printOf({ item }).toString(36)}`,
  };
}

function envelope(answer: unknown): Readonly<Record<string, unknown>> {
  return isObject(answer) ? answer : {};
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isResource(value: unknown): value is { readonly id: string } {
  return isObject(value) && typeof value["id"] === "string" && value["id"] !== "";
}
