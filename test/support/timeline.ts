import type { EventSource, TimelineEvent } from "../../src/patch/source.ts";

/** A timeline that grows under a test's hands. */
export interface TestTimeline extends EventSource {
  readonly events: TimelineEvent[];
  underWay: string | undefined;
  /** Adds one; gives its id. */
  add(type: string, payload: Readonly<Record<string, unknown>>, status?: string): string;
  /** A message and what the agent did for it. */
  turn(message: string, ...done: readonly (readonly [type: string, payload: Readonly<Record<string, unknown>>])[]): void;
}

export function makeTimeline(base?: string): TestTimeline {
  const events: TimelineEvent[] = [];
  const timeline: TestTimeline = {
    events,
    underWay: undefined,
    agent: "Coder <1>",
    repositoryId: undefined,
    base,
    isAutomatic: true,
    read: async () => ({ events: [...events], underWay: timeline.underWay }),
    add(type, payload, status = "completed") {
      const at = events.length + 1;
      const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
      events.push({ id: `e${at}`, type, status, payload: { type, repository_id: "r", ...payload }, createdAt });
      return `e${at}`;
    },
    turn(message, ...done) {
      timeline.add("user_message", { message });
      for (const [type, payload] of done) timeline.add(type, payload);
    },
  };
  return timeline;
}
