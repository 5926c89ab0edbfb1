import { describe, expect, test } from "vitest";
import { contract } from "../../src/wire/contract.ts";
import { payloads, sessionEvent } from "../../src/wire/event.ts";
import { routePath, routes } from "../../src/wire/routes.ts";
import { acceptedScopes, eventTypes } from "../../src/wire/values.ts";

describe("routes", () => {
  test("the seed's seventeen operations, each with its own method and path", () => {
    const seed = Object.values(routes).filter((route) => !("extension" in route));
    expect(seed).toHaveLength(17);
    expect(new Set(seed.map(({ method, path }) => `${method} ${path}`)).size).toBe(17);
  });

  test("parameters are percent-encoded, absent query values left out", () => {
    expect(routePath("readSession", { sessionId: "-a/b?c" })).toBe("/api/v1/sessions/-a%2Fb%3Fc");
    expect(routePath("listSessions", {}, { status: "active", limit: undefined })).toBe("/api/v1/sessions?status=active");
  });

  test.each(["", ".", ".."])("an id that would address another thing is none: %j", (id) => {
    expect(() => routePath("readSession", { sessionId: id })).toThrow("is no id");
  });

  test("half a character can't be encoded: an id with one is told", () => {
    expect(() => routePath("readSession", { sessionId: "s\ud800" })).toThrow("can't be used as an id");
  });

  test("an operation that reads takes no body", () => {
    for (const [name, route] of Object.entries(routes)) {
      if (route.access === "read") expect(contract[name as keyof typeof contract]).not.toHaveProperty("body");
    }
  });
});

test("a scope of the resource, of all, for the access or for both", () => {
  expect(acceptedScopes("sessions", "read")).toEqual(["sessions:read", "sessions:all", "all:read", "all:all"]);
});

describe("events", () => {
  const event = {
    id: "evt_1",
    session_id: "ses_1",
    type: "user_message",
    payload: { type: "user_message", message: "hi", extra: 1 },
    status: "queued",
    client_id: "",
    session_goal_id: "",
    session_task_id: "",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
  };

  test("34 types, each with a payload of its own", () => {
    expect(eventTypes).toHaveLength(34);
    expect(Object.keys(payloads).sort()).toEqual([...eventTypes].sort());
  });

  test("unknown fields of a payload are kept", () => {
    expect(sessionEvent.parse(event)).toEqual(event);
  });

  test.each(["type", "payload", "status", "client_id", "session_goal_id", "session_task_id", "created_at", "updated_at"])(
    "%s is required",
    (field) => {
      expect(sessionEvent.safeParse({ ...event, [field]: undefined }).success).toBe(false);
    },
  );
});
