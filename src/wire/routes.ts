import { FerryError } from "../base/errors.ts";
import type { Access, GuardedResource } from "./values.ts";

/** One operation of the interface, as plain data: the client needs no schema to call it. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: `/api/v1/${string}`;
  /** Whose scopes it needs; null: any valid key. */
  readonly resource: GuardedResource | null;
  readonly access: Access;
  /** Whether it is of our extension and not of the seed. */
  readonly extension?: true;
}

const api = "/api/v1";

/** Every operation: the seed's seventeen in its order, then the extension's. */
export const routes = {
  createProvider: { method: "POST", path: `${api}/code-providers`, resource: "code-providers", access: "write" },
  listProviders: { method: "GET", path: `${api}/code-providers`, resource: "code-providers", access: "read" },
  updateProvider: { method: "PATCH", path: `${api}/code-providers/{providerId}`, resource: "code-providers", access: "write" },
  deleteProvider: { method: "DELETE", path: `${api}/code-providers/{providerId}`, resource: "code-providers", access: "write" },

  createRepository: { method: "POST", path: `${api}/repositories`, resource: "repositories", access: "write" },
  listRepositories: { method: "GET", path: `${api}/repositories`, resource: "repositories", access: "read" },
  readRepository: { method: "GET", path: `${api}/repositories/{id}`, resource: "repositories", access: "read" },
  updateRepository: { method: "PATCH", path: `${api}/repositories/{id}`, resource: "repositories", access: "write" },
  deleteRepository: { method: "DELETE", path: `${api}/repositories/{id}`, resource: "repositories", access: "write" },
  analyzeRepository: { method: "POST", path: `${api}/repositories/{id}/analyze`, resource: "repositories", access: "write" },
  readAnalysis: { method: "GET", path: `${api}/repositories/{id}/analysis`, resource: "repositories", access: "read" },

  createSession: { method: "POST", path: `${api}/sessions`, resource: "sessions", access: "write" },
  listSessions: { method: "GET", path: `${api}/sessions`, resource: "sessions", access: "read" },
  readSession: { method: "GET", path: `${api}/sessions/{sessionId}`, resource: "sessions", access: "read" },
  updateSession: { method: "PATCH", path: `${api}/sessions/{sessionId}`, resource: "sessions", access: "write" },
  readEvents: { method: "GET", path: `${api}/sessions/{sessionId}/events`, resource: "sessions", access: "read" },
  sendMessage: { method: "POST", path: `${api}/sessions/{sessionId}/messages`, resource: "sessions", access: "write" },

  readCli: { method: "GET", path: `${api}/cli`, resource: null, access: "read", extension: true },
  cancelSession: {
    method: "POST",
    path: `${api}/sessions/{sessionId}/cancel`,
    resource: "sessions",
    access: "write",
    extension: true,
  },
  closeSession: {
    method: "POST",
    path: `${api}/sessions/{sessionId}/close`,
    resource: "sessions",
    access: "write",
    extension: true,
  },
  readPatches: {
    method: "GET",
    path: `${api}/sessions/{sessionId}/patches`,
    resource: "sessions",
    access: "read",
    extension: true,
  },
  readUncommitted: {
    method: "GET",
    path: `${api}/sessions/{sessionId}/uncommitted`,
    resource: "sessions",
    access: "read",
    extension: true,
  },

  listKeys: { method: "GET", path: `${api}/api-keys`, resource: "all", access: "read", extension: true },
  createKey: { method: "POST", path: `${api}/api-keys`, resource: "all", access: "write", extension: true },
  revokeKey: { method: "DELETE", path: `${api}/api-keys/{keyId}`, resource: "all", access: "write", extension: true },

  listSchedules: { method: "GET", path: `${api}/schedules`, resource: "all", access: "read", extension: true },
  createSchedule: { method: "POST", path: `${api}/schedules`, resource: "all", access: "write", extension: true },
  readSchedule: { method: "GET", path: `${api}/schedules/{id}`, resource: "all", access: "read", extension: true },
  updateSchedule: { method: "PATCH", path: `${api}/schedules/{id}`, resource: "all", access: "write", extension: true },
  deleteSchedule: { method: "DELETE", path: `${api}/schedules/{id}`, resource: "all", access: "write", extension: true },
  runSchedule: { method: "POST", path: `${api}/schedules/{id}/run`, resource: "all", access: "write", extension: true },
  listScheduleRuns: { method: "GET", path: `${api}/schedules/{id}/runs`, resource: "all", access: "read", extension: true },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/**
 * The address of a route with its parameters in place, each percent-encoded; absent query values are left out.
 * @throws FerryError not_found for what can be no id; unavailable for half a character (a lone surrogate), which only a service can name
 */
export function routePath(
  name: RouteName,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const path = routes[name].path.replace(/\{(\w+)\}/g, (_, key: string) => segment(params[key] ?? ""));
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

/** Dot segments can't be escaped: an address with one, `%2e` as well, is another thing's (WHATWG URL, path state). */
function segment(value: string): string {
  if (/^\.{0,2}$/u.test(value)) throw new FerryError("not_found", `"${value}" is no id`);
  if (/\p{Surrogate}/u.test(value)) throw new FerryError("unavailable", `"${value}" can't be used as an id: it is no text`);
  return encodeURIComponent(value);
}
