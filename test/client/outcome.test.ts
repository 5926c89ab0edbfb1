import { describe, expect, test } from "vitest";
import { judge, settleTime, type Situation } from "../../src/client/outcome.ts";
import type { SessionState, TimelineEvent } from "../../src/client/timeline/items.ts";

let count = 0;
const event = (type: string, status = "completed", change: Partial<TimelineEvent> = {}): TimelineEvent => ({
  id: `evt_${count++}`,
  type,
  status,
  ...change,
});
const message = (status: string, change: Partial<TimelineEvent> = {}) => event("user_message", status, change);
const session = (agent_status: string, status = "active"): SessionState => ({ id: "ses_1", status, agent_status });
const verdict = (state: SessionState, events: readonly TimelineEvent[], change: Partial<Situation> = {}) => {
  const result = judge({ session: state, events, quiet: 0, ...change });
  return "outcome" in result ? `${result.state}: ${result.outcome}` : result.state;
};

describe("needs you", () => {
  test("by our word, whatever the timeline says", () => {
    expect(verdict(session("waiting_for_user"), [message("processing")])).toBe("needs you: waiting_for_user");
    expect(verdict(session("working"), [message("processing"), event("agent_ask_user", "processing")])).toBe("going");
  });

  test("where the answer is there already: only if the session still says so after a while", () => {
    const answered = [message("completed"), event("agent_ask_user"), event("user_ask_user_response")];
    expect(verdict(session("waiting_for_user"), answered)).toBe("settling");
    expect(verdict(session("waiting_for_user"), answered, { quiet: 5_000 })).toBe("needs you: waiting_for_user");
    expect(verdict(session("waiting_for_user"), [...answered, event("agent_ask_user", "processing")])).toBe(
      "needs you: waiting_for_user",
    );
  });

  test("with foreign words: by a question that nothing answers", () => {
    const asked = [message("processing"), event("agent_ask_user")];
    expect(verdict(session("pondering"), asked)).toBe("needs you: waiting_for_user");
    expect(verdict(session("pondering"), [...asked, event("user_ask_user_response")])).toBe("going");
    expect(verdict(session("pondering"), [...asked, message("queued")])).toBe("going");
  });
});

describe("done", () => {
  test.each([
    ["idle", "completed", "done: idle"],
    ["stopped", "canceled", "done: canceled"],
    ["failed", "completed", "done: failed"],
    ["working", "completed", "going"],
    ["queued", "completed", "going"],
    ["idle", "processing", "settling"],
    ["idle", "half done", "settling"],
    ["idle", "queued", "going"],
  ])("agent %s, message %s: %s", (agent, status, expected) => {
    expect(verdict(session(agent), [message(status)])).toBe(expected);
  });

  test("not while anything else is queued or under way", () => {
    expect(verdict(session("working"), [message("completed"), event("agent_run_repository_command", "processing")])).toBe(
      "going",
    );
    expect(verdict(session("idle"), [message("completed"), message("queued")])).toBe("going");
  });

  test("where something stays under way though the agent rests: after a minute without a change, which is said", () => {
    for (const events of [[message("processing")], [message("completed"), event("agent_run_repository_command", "processing")]]) {
      expect(verdict(session("idle"), events, { quiet: settleTime - 1 })).toBe("settling");
      expect(judge({ session: session("idle"), events, quiet: settleTime })).toEqual({
        state: "done",
        outcome: "idle",
        note: "the agent rests, and something is still processing; nothing has changed for 60 s",
      });
      expect(verdict(session("hibernating"), events, { quiet: settleTime })).toBe("going");
    }
    expect(verdict(session("idle"), [message("queued")], { quiet: settleTime })).toBe("going");
  });

  test("by our message, named by its id or client_id, and not before it is there", () => {
    const events = [message("completed", { client_id: "mine" }), message("canceled")];
    expect(verdict(session("idle"), events, { message: "mine" })).toBe("done: idle");
    expect(verdict(session("idle"), events, { message: events[1]?.id })).toBe("done: canceled");
    expect(verdict(session("working"), events, { message: "other" })).toBe("going");
    expect(verdict(session("idle"), events)).toBe("done: canceled");
  });

  test("by no name that we know, only after a minute without a change", () => {
    const message = ["mine", "evt_mine"];
    for (const events of [[], [event("user_message", "completed", { client_id: "" })]]) {
      expect(verdict(session("idle"), events, { message })).toBe("settling");
      expect(verdict(session("idle"), events, { message, quiet: settleTime })).toBe("done: idle");
    }
    const canceled = [event("user_message"), event("user_message", "canceled")];
    expect(verdict(session("idle"), canceled, { message, quiet: settleTime })).toBe("done: canceled");
    expect(verdict(session("idle"), [event("user_message", "queued")], { message, quiet: settleTime })).toBe("going");
  });

  test("at once without any message, where the session rests", () => {
    expect(verdict(session("idle"), [])).toBe("done: idle");
    expect(verdict(session("working"), [])).toBe("going");
  });

  test("with foreign words only after a minute without a change, which is said", () => {
    const events = [message("completed")];
    expect(judge({ session: session("hibernating"), events, quiet: 1000 })).toEqual({
      state: "settling",
      wait: settleTime - 1000,
    });
    expect(judge({ session: { id: "s" }, events, quiet: settleTime })).toEqual({
      state: "done",
      outcome: "idle",
      note: "nothing has changed for 60 s",
    });
  });
});

describe("ended", () => {
  test.each([
    ["finished", "stopped", "ended: finished"],
    ["merged", "idle", "ended: merged"],
    ["closed", "idle", "ended: closed"],
    ["failed", "idle", "ended: failed"],
    ["finished", "failed", "ended: failed"],
    ["closed", "waiting_for_user", "ended: closed"],
  ])("session %s, agent %s: %s", (status, agent, expected) => {
    expect(verdict(session(agent, status), [message("queued")])).toBe(expected);
  });

  test.each([
    ["session_finished", "ended: finished"],
    ["session_closed", "ended: closed"],
    ["merge_request_merged", "ended: merged"],
    ["merge_request_closed", "settling"],
  ])("with foreign words: by %s", (type, expected) => {
    expect(verdict(session("?", "archived"), [message("completed"), event(type)])).toBe(expected);
  });

  test("not by an event of the end when a message came after it", () => {
    expect(verdict(session("?", "archived"), [event("session_finished"), message("processing")])).toBe("going");
    expect(verdict(session("working", "active"), [event("session_finished")])).toBe("going");
  });
});
