import type { Send, SendRequest } from "../../src/host/host.ts";
import { answer, checkKey, readBody, Refusal, type Json, type SeedService } from "./seed-service.ts";

/** What a service with scheduled agents keeps. */
export interface ScheduleService {
  readonly send: Send;
  readonly schedules: Json[];
  readonly runs: Json[];
  /** The bodies that came in, in order. */
  readonly bodies: Json[];
  /** What a run is; by default one with a session. */
  begin: (schedule: Json) => Json;
}

const bodies: Readonly<Record<string, readonly string[]>> = {
  "POST schedules": [
    "name!",
    "prompt!",
    "every!",
    ...["repository_id", "model", "weekdays", "time_of_day", "timezone", "budget", "enabled"],
  ],
  "PATCH schedules/*": [
    ...["name", "prompt", "every", "repository_id", "model", "weekdays", "time_of_day", "timezone", "budget", "enabled"],
  ],
};

/** A second implementation of scheduled agents, over a service that has else only the seed; as strict about what it is sent. */
export function makeScheduleService(seed: SeedService): ScheduleService {
  let count = 0;
  const service: ScheduleService = {
    schedules: [],
    runs: [],
    bodies: [],
    begin: ({ id }) => ({ schedule_id: id, session_id: "0042", status: "running", trigger: "user" }),
    send: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/v1/cli") return answer(200, { capabilities: ["schedules"] });
      if (!pathname.startsWith("/api/v1/schedules")) return seed.send(request);
      try {
        checkKey(request, "x-api-key", seed.key);
        return answer(200, operate(request));
      } catch (error) {
        if (error instanceof Refusal) return answer(error.status, error.body);
        throw error;
      }
    },
  };

  const made = (fields: Json): Json => ({ id: `s${++count}`, ...fields, created_at: "2025-12-31T12:00:00Z" });
  const find = (id: string): Json => {
    const schedule = service.schedules.find((one) => one["id"] === id);
    if (schedule === undefined) throw new Refusal(404, { error: "Not found" });
    return schedule;
  };

  const operations: Readonly<Record<string, (id: string, body: Json) => unknown>> = {
    "GET schedules": () => ({ items: service.schedules }),
    "POST schedules": (_, body) => {
      const schedule = made({ enabled: true, next_run_at: "2026-01-01T02:30:00Z", ...body });
      service.schedules.push(schedule);
      return schedule;
    },
    "GET schedules/*": (id) => find(id),
    "PATCH schedules/*": (id, body) => Object.assign(find(id), body),
    "DELETE schedules/*": (id) => {
      const schedule = find(id);
      service.schedules.splice(service.schedules.indexOf(schedule), 1);
      return schedule;
    },
    "POST schedules/*/run": (id) => {
      const run = made(service.begin(find(id)));
      service.runs.unshift(run);
      return run;
    },
    "GET schedules/*/runs": (id) => {
      const all = service.runs.filter((run) => run["schedule_id"] === find(id)["id"]);
      return { items: all, next_cursor: "" };
    },
  };

  function operate(request: SendRequest): unknown {
    const url = new URL(request.url);
    const [, id, ...rest] = url.pathname.replace(/^\/api\/v1\//u, "").split("/");
    const name = `${request.method} ${["schedules", id === undefined ? undefined : "*", ...rest].filter(Boolean).join("/")}`;
    const operation = operations[name];
    if (operation === undefined) throw new Refusal(404, { error: "Not found" });
    const body = readBody(request, bodies[name]);
    if (bodies[name] !== undefined) service.bodies.push(body);
    return operation(decodeURIComponent(id ?? ""), body);
  }

  return service;
}
