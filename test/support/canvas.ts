import { makeCanvas, type Canvas } from "../../src/cli/output/timeline/canvas.ts";
import type { TimelineEvent } from "../../src/client/timeline/items.ts";

/** A canvas of a terminal without colour; `change` says what is other. */
export function testCanvas(change: { columns?: number; color?: boolean; isTTY?: boolean; unicode?: boolean } = {}): Canvas {
  const { columns = 80, color = false, isTTY = true, unicode = true } = change;
  return makeCanvas({ columns, color, isTTY, write: async () => undefined }, unicode);
}

/** An event as a service may send it. */
export function someEvent(type: string, payload: unknown = {}, status = "completed"): TimelineEvent {
  const whole = typeof payload === "object" && payload !== null ? { type, ...payload } : payload;
  const event = { id: "evt_1", session_id: "ses_1", type, payload: whole, status, created_at: "2026-01-01T10:20:30.000Z" };
  return event as TimelineEvent;
}
