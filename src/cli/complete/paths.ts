import { type Route, routes } from "../../wire/routes.ts";
import type { Context } from "../context.ts";
import type { Connection } from "../flows/host/connect.ts";
import { remembered } from "./cache.ts";
import type { Candidate } from "./candidate.ts";
import { newest, said } from "./newest.ts";

const root = "/api/v1/";

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
  "code-providers": async ({ client }) => (await newest(client.listProviders)).map(({ id, name }) => thing(id, name)),
  repositories: async ({ client }) => (await newest(client.listRepositories)).map(({ id, full_name }) => thing(id, full_name)),
  sessions: async ({ client }) => (await newest(client.listSessions)).map(({ id, title }) => thing(id, title)),
  "api-keys": async ({ client }) => (await newest(client.listKeys)).map(({ id, name }) => thing(id, name)),
  schedules: async ({ client }) => (await newest(client.listSchedules)).map(({ id, name }) => thing(id, name)),
};

function thing(id: string, about: string | null | undefined): Candidate {
  return { value: id, description: said([about]) };
}
