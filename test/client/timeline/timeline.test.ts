import { describe, expect, test } from "vitest";
import type { TimelineEvent } from "../../../src/client/timeline/items.ts";
import { makeTimeline } from "../../../src/client/timeline/timeline.ts";

const event = (id: string, change: Partial<TimelineEvent> = {}): TimelineEvent => ({
  id,
  created_at: "2026-01-01T00:00:00Z",
  ...change,
});
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;

function play() {
  const timeline = makeTimeline();
  const accept = (...batch: TimelineEvent[]) =>
    timeline
      .accept(batch)
      .flatMap((update) => (update.kind === "events" ? update.items : []))
      .map((item) => `${item.event.id}${item.update ? " update" : ""}${item.late ? " late" : ""}`);
  return { timeline, accept };
}

describe("without revisions", () => {
  test("an array again and again, shuffled, with one changed: one update, no repeat", () => {
    const { accept, timeline } = play();
    const [a, b, c] = [event("a", { created_at: at(1) }), event("b", { created_at: at(2) }), event("c", { created_at: at(3) })];
    expect(accept(c, a, b)).toEqual(["a", "b", "c"]);
    expect(accept(b, c, a)).toEqual([]);
    expect(accept(c, { ...b, payload: { type: "agent_message", message: "more" } }, a)).toEqual(["b update"]);
    expect(timeline.revision).toBeUndefined();
  });

  test("one that is older than what was shown comes late; equal ones stay as they came", () => {
    const { accept } = play();
    expect(accept(event("b", { created_at: at(5) }), event("a", { created_at: at(5) }))).toEqual(["b", "a"]);
    expect(accept(event("old", { created_at: at(4) }), event("same", { created_at: at(5) }))).toEqual(["old late", "same"]);
  });

  test("a time that is none stays behind its neighbour, and is never late", () => {
    const { accept } = play();
    const odd = event("odd", { created_at: "yesterday, 5 o'clock" });
    expect(
      accept(event("z", { created_at: at(9) }), event("a", { created_at: at(1) }), odd, event("none", { created_at: null })),
    ).toEqual(["a", "odd", "none", "z"]);
    expect(accept(event("odd2", { created_at: "" }))).toEqual(["odd2"]);
  });
});

describe("a service without revisions", () => {
  const said = (message: string, updated: number, change: object = {}) =>
    event("a", { updated_at: at(updated), payload: { type: "agent_message", message }, ...change });

  test("that says when it served an event, or moves its updated_at, has no news", () => {
    const { accept } = play();
    expect(accept(said("one", 1, { served_at: at(1) }))).toEqual(["a"]);
    expect(accept(said("one", 2, { served_at: at(2) }))).toEqual([]);
    expect(accept(said("two", 3, { served_at: at(3) }))).toEqual(["a update"]);
  });

  test("that has a server that is behind takes nothing back, and an end counts whatever the clock says", () => {
    const { accept } = play();
    expect(accept(event("a", { status: "processing", updated_at: at(5) }))).toEqual(["a"]);
    expect(accept(event("a", { status: "queued", updated_at: at(4) }))).toEqual([]);
    expect(accept(event("a", { status: "completed", updated_at: at(3) }))).toEqual(["a update"]);
    expect(accept(event("a", { status: "processing", updated_at: at(2) }))).toEqual([]);
  });

  test("that has an event twice, in any order, tells each version once", () => {
    for (const updated of [1, 2]) {
      const { accept } = play();
      const [one, other] = [said("one", 1), said("two", updated)];
      accept(one, other);
      for (let count = 0; count < 3; count++) expect(accept(other, one).concat(accept(one, other))).toEqual([]);
    }
  });
});

describe("with revisions", () => {
  const revised = (id: string, revision: number, updated: number, change: Partial<TimelineEvent> = {}) =>
    event(id, { revision, updated_at: at(updated), ...change });

  test("goes on after the greatest, and takes no older version for a change", () => {
    const { accept, timeline } = play();
    expect(timeline.revision).toBe(0);
    expect(accept(revised("a", 1, 1), revised("b", 2, 2))).toEqual(["a", "b"]);
    expect(accept(revised("a", 3, 3, { status: "completed" }))).toEqual(["a update"]);
    expect(accept(revised("a", 1, 1), revised("a", 3, 3, { status: "completed" }))).toEqual([]);
    expect(timeline.revision).toBe(3);
  });

  test("two changes within one unit of updated_at are two", () => {
    const { accept } = play();
    const said = (message: string) => ({ payload: { type: "agent_message" as const, message } });
    expect(accept(revised("a", 1, 1, said("one")))).toEqual(["a"]);
    expect(accept(revised("a", 2, 1, said("two")))).toEqual(["a update"]);
    expect(accept(revised("a", 3, 1, said("two")))).toEqual([]);
  });

  test.each([[["completed", "processing"]], [["processing", "completed"]]] as const)(
    "answers that contradict each other under one revision (%j) are no news, and what is done stays so",
    (statuses) => {
      const { accept } = play();
      const both = statuses.map((status) => revised("a", 1, 1, { status }));
      accept(...both);
      for (let count = 0; count < 3; count++) expect(accept(...both)).toEqual([]);
      expect(accept(revised("a", 1, 1, { status: "completed" }))).toEqual([]);
      const said = (message: string) => revised("b", 2, 1, { payload: { type: "agent_message" as const, message } });
      accept(said("one"), said("two"));
      for (let count = 0; count < 3; count++) expect(accept(said("one"), said("two"))).toEqual([]);
    },
  );

  test("several servers that contradict each other under one revision, in turn, are no news, nor is one that never repeats itself", () => {
    const { accept } = play();
    const said = (message: string, status = "processing") =>
      revised("a", 1, 1, { status, payload: { type: "agent_message" as const, message } });
    const servers = ["one", "two", "three", "four"].map((name) => said(name));
    for (const server of servers) accept(server);
    for (let count = 0; count < 3; count++) for (const server of servers) expect(accept(server)).toEqual([]);
    const told = Array.from({ length: 100 }, (_, count) => accept(said(`at ${count}`))).flat();
    expect(told.length).toBeLessThan(10);
    expect(accept(said("done", "completed"))).toEqual(["a update"]);
  });

  test("without a new updated_at, words that are written on are news each time", () => {
    const { accept } = play();
    const said = (message: string) => event("a", { payload: { type: "agent_message", message } });
    for (let count = 0; count < 100; count++) expect(accept(said("x".repeat(count)))).toHaveLength(1);
  });

  test("counted anew by the service: what is the same is no news", () => {
    const { accept, timeline } = play();
    accept(revised("a", 11, 1), revised("b", 12, 2));
    timeline.restart();
    expect(timeline.revision).toBe(0);
    expect(accept(revised("a", 1, 1), revised("b", 2, 5), revised("c", 3, 3))).toEqual(["b update", "c"]);
    // What the first of an answer say is no reason to pass over the others.
    expect(timeline.revision).toBe(0);
    timeline.release();
    expect(timeline.revision).toBe(3);
  });

  test("an answer that is only old, or brings what came since, is not counted anew", () => {
    const { accept, timeline } = play();
    accept(revised("a", 1, 1), revised("b", 2, 2));
    accept(revised("a", 3, 5));
    expect(timeline.isAnew([revised("a", 1, 1), revised("b", 2, 2)], 3)).toBe(false);
    expect(timeline.isAnew([revised("a", 3, 5), revised("c", 4, 6)], 3)).toBe(false);
    expect(timeline.isAnew([revised("b", 1, 2)], 3)).toBe(true);
    expect(timeline.isAnew([revised("c", 3, 6)], 3)).toBe(true);
  });

  test("one event without ends the counting", () => {
    const { accept, timeline } = play();
    accept(revised("a", 1, 1), event("b"), revised("c", 3, 3));
    expect(timeline.revision).toBeUndefined();
  });
});
