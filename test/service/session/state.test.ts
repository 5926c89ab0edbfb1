import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rests, type SessionState, type Transition, transition, type Trigger } from "../../../src/service/session/state.ts";

const idle: SessionState = { status: "active", agent_status: "idle", processing: false, queued: 0 };
const working: SessionState = { status: "active", agent_status: "working", processing: true, queued: 0 };
const waiting: SessionState = { ...working, queued: 2 };
const message = { type: "message" } as const;
const ended = { type: "turn ended", hold: false } as const;
const failed = { type: "turn failed", hold: false } as const;

describe("the state table, row by row", () => {
  const rows: [string, SessionState, Trigger, Transition][] = [
    ["a message, the agent free", idle, message, { status: "active", agent_status: "working", message: "processing" }],
    ["a message, the agent busy", working, message, { status: "active", agent_status: "working", message: "queued" }],
    [
      "a message after a failed turn",
      { ...idle, agent_status: "failed" },
      message,
      { status: "active", agent_status: "working", message: "processing" },
    ],
    [
      "a message while a cancel kills",
      { ...idle, agent_status: "stopped" },
      message,
      { status: "active", agent_status: "stopped", message: "queued" },
    ],
    ["the turn ends, queue empty", working, ended, { status: "active", agent_status: "idle", running: "completed" }],
    [
      "the turn ends, queue not empty",
      waiting,
      ended,
      { status: "active", agent_status: "working", running: "completed", next: true },
    ],
    ["the turn fails, queue empty", working, failed, { status: "active", agent_status: "failed", running: "completed" }],
    [
      "the turn fails, queue not empty",
      waiting,
      failed,
      { status: "active", agent_status: "working", running: "completed", next: true },
    ],
    [
      "the turn ends, the service too",
      waiting,
      { ...ended, hold: true },
      { status: "active", agent_status: "idle", running: "completed" },
    ],
    [
      "the service died in the turn",
      waiting,
      { type: "interrupted" },
      { status: "active", agent_status: "failed", running: "completed" },
    ],
    [
      "it is there again, queue empty",
      { ...idle, agent_status: "failed" },
      { type: "started" },
      { status: "active", agent_status: "failed" },
    ],
    [
      "it is there again, queue not empty",
      { ...idle, queued: 1 },
      { type: "started" },
      { status: "active", agent_status: "working", next: true },
    ],
    [
      "no sandbox can be had",
      waiting,
      { type: "no sandbox" },
      { status: "failed", agent_status: "failed", running: "completed", cancelQueue: true },
    ],
    [
      "cancel",
      waiting,
      { type: "cancel", queued: false },
      { status: "active", agent_status: "stopped", running: "canceled", cancelQueue: false },
    ],
    [
      "cancel, queued too",
      waiting,
      { type: "cancel", queued: true },
      { status: "active", agent_status: "stopped", running: "canceled", cancelQueue: true },
    ],
    [
      "cancel, nothing runs",
      idle,
      { type: "cancel", queued: true },
      { status: "active", agent_status: "idle", cancelQueue: true },
    ],
    [
      "the canceled turn is dead",
      { ...idle, agent_status: "stopped" },
      { type: "stopped" },
      { status: "active", agent_status: "idle" },
    ],
    [
      "… and a message waits",
      { ...idle, agent_status: "stopped", queued: 1 },
      { type: "stopped" },
      { status: "active", agent_status: "working", next: true },
    ],
    ["close", idle, { type: "close", outcome: "finished" }, { status: "finished", agent_status: "stopped", cancelQueue: true }],
    [
      "close while it works",
      working,
      { type: "close", outcome: "closed" },
      { status: "closed", agent_status: "stopped", running: "canceled", cancelQueue: true },
    ],
  ];
  test.each(rows)("%s", (_name, state, trigger, expected) => {
    expect(transition(state, trigger)).toEqual(expected);
  });

  test.each(["finished", "closed", "merged", "failed"] as const)("a session that is %s takes nothing", (status) => {
    expect(() => transition({ ...idle, status }, message)).toThrow(
      expect.objectContaining({ status: 409, code: "session_over" }) as Error,
    );
  });
});

/** What happens to the messages of a model session. */
function follow(state: SessionState, change: Transition): SessionState {
  const running = change.running === undefined ? state.processing : false;
  const queued =
    (change.cancelQueue === true ? 0 : state.queued) + (change.message === "queued" ? 1 : 0) - (change.next === true ? 1 : 0);
  if ((change.message === "processing" || change.next === true) && running) throw new Error("two messages are processing");
  if (queued < 0) throw new Error("a message was taken from an empty queue");
  return {
    status: change.status,
    agent_status: change.agent_status,
    processing: running || change.message === "processing" || change.next === true,
    queued,
  };
}

const triggers: fc.Arbitrary<Trigger> = fc.oneof(
  fc.constant(message),
  fc.record({ type: fc.constantFrom("turn ended" as const, "turn failed" as const), hold: fc.constant(false) }),
  fc.constantFrom<Trigger>({ type: "no sandbox" }, { type: "stopped" }),
  fc.record({ type: fc.constant("cancel" as const), queued: fc.boolean() }),
  fc.record({ type: fc.constant("close" as const), outcome: fc.constantFrom("finished" as const, "closed" as const) }),
);

/** Ends of a turn come only where one runs, `stopped` only after a cancel. */
function canHappen({ processing, agent_status }: SessionState, { type }: Trigger): boolean {
  if (type === "turn ended" || type === "turn failed" || type === "no sandbox") return processing;
  return type !== "stopped" || agent_status === "stopped";
}

test("whatever happens, one message at most is processing, and the agent rests exactly where none is", () => {
  fc.assert(
    fc.property(fc.array(triggers, { maxLength: 40 }), (sequence) => {
      let state = idle;
      for (const trigger of sequence) {
        if (state.status !== "active" || !canHappen(state, trigger)) continue;
        state = follow(state, transition(state, trigger));
        expect(rests(state.agent_status)).toBe(!state.processing);
        // Nothing waits where nothing will take it.
        if (!state.processing && state.agent_status !== "stopped") expect(state.queued).toBe(0);
        if (state.status !== "active") expect(state).toMatchObject({ processing: false, queued: 0 });
      }
    }),
  );
});
