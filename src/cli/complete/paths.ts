import { cut, oneLine } from "../../base/text.ts";
import { type ListCall, readList } from "../../client/pages.ts";
import { type Route, routes } from "../../wire/routes.ts";
import type { Context } from "../context.ts";
import type { Connection } from "../flows/host/connect.ts";
import { remembered } from "./cache.ts";
import type { Candidate } from "./candidate.ts";

const root = "/api/v1/";
/** Many pages take longer than a person waits. */
const most = 200;

/** The methods that the interface has. */
export const methods = [...new Set(Object.values<Route>(routes).map(({ method }) => method))];

/**
 * The paths of `ferry api METHOD`, as far as `current` goes: those without an id, and where a collection was named, or there is no
 * other path, those with the ids of what is in it.
 */
export async function apiPaths(context: Context, method: string, current: string): Promise<readonly Candidate[]> {
  const before = current.startsWith("/") ? root : "";
  const typed = current.slice(before.length);
  const all = Object.values<Route>(routes).filter((route) => route.method === method.toUpperCase());
  const paths = [...new Set(all.map(({ path }) => path.slice(root.length)))];
  const plain = paths.filter((path) => !path.includes("{")).map((path) => ({ value: path, description: "" }));
  const wanted = typed === "" && plain.length > 0 ? [] : paths.filter((path) => path.includes("{") && isNamed(path, typed));
  const collections = [...new Set(wanted.map(collectionOf))];
  const things = new Map(await Promise.all(collections.map(async (name) => [name, await idsOf(context, name)] as const)));
  const filled = wanted.flatMap((path) => (things.get(collectionOf(path)) ?? []).map((thing) => fill(path, thing)));
  return [...plain, ...filled].map(({ value, description }) => ({ value: before + value, description }));
}

function isNamed(path: string, typed: string): boolean {
  const collection = collectionOf(path);
  return collection.startsWith(typed) || typed.startsWith(`${collection}/`);
}

function collectionOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function fill(path: string, { value, description }: Candidate): Candidate {
  return { value: path.replace(/\{\w+\}/u, () => encodeURIComponent(value)), description };
}

function idsOf(context: Context, collection: string): Promise<readonly Candidate[]> {
  const list = lists[collection];
  return list === undefined ? Promise.resolve([]) : remembered(context, `ids of ${collection}`, list);
}

const lists: Readonly<Record<string, (connection: Connection) => Promise<Candidate[]>>> = {
  "code-providers": ({ client }) => newest(client.listProviders, ({ id, name }) => [id, name]),
  repositories: ({ client }) => newest(client.listRepositories, ({ id, full_name }) => [id, full_name]),
  sessions: ({ client }) => newest(client.listSessions, ({ id, title }) => [id, title]),
  "api-keys": ({ client }) => newest(client.listKeys, ({ id, name }) => [id, name]),
  schedules: ({ client }) => newest(client.listSchedules, ({ id, name }) => [id, name]),
};

async function newest<Item extends object>(
  call: ListCall<Item>,
  tell: (item: Item) => readonly [id: string, about: string | null | undefined],
): Promise<Candidate[]> {
  const { items } = await readList(call, { limit: most });
  return items.map(tell).map(([value, about]) => ({ value, description: cut(oneLine(about ?? ""), 60) }));
}
