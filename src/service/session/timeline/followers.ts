import type { StreamItem } from "../sessions.ts";

/**
 * Items that a slow follower may have waiting, and characters of the text in them; beyond them the oldest are dropped. None of them is
 * the only copy of anything.
 */
const limits = { items: 1000, text: 4 * 1024 * 1024 };

/** Who follows which session right now, in this process. */
export class Followers {
  private readonly bySession = new Map<string, Set<Follower>>();

  /** Until the follower's `end`. */
  join(sessionId: string, signal: AbortSignal): Follower {
    const all = this.bySession.get(sessionId) ?? new Set();
    this.bySession.set(sessionId, all);
    const follower = new Follower(signal, () => {
      all.delete(follower);
      if (all.size === 0 && this.bySession.get(sessionId) === all) this.bySession.delete(sessionId);
    });
    all.add(follower);
    return follower;
  }

  /** Something was stored. */
  ring(sessionId: string): void {
    for (const follower of this.bySession.get(sessionId) ?? []) follower.ring();
  }

  tell(sessionId: string, item: StreamItem): void {
    for (const follower of this.bySession.get(sessionId) ?? []) follower.push(item);
  }
}

class Follower {
  private items: StreamItem[] = [];
  private text = 0;
  private rung = false;
  private wake: (() => void) | undefined;
  private readonly signal: AbortSignal;
  private readonly leave: () => void;

  constructor(signal: AbortSignal, leave: () => void) {
    this.signal = signal;
    this.leave = leave;
    signal.addEventListener("abort", this.stir, { once: true });
  }

  ring(): void {
    this.rung = true;
    this.stir();
  }

  push(item: StreamItem): void {
    this.items.push(item);
    this.text += textOf(item);
    while (this.items.length > limits.items || (this.text > limits.text && this.items.length > 1)) {
      const [dropped] = this.items.splice(0, 1);
      this.text -= textOf(dropped);
    }
    this.ring();
  }

  /** The items that came since the last call. */
  take(): StreamItem[] {
    const items = this.items;
    this.items = [];
    this.text = 0;
    return items;
  }

  /** Waits until something happened since the last call; false where the signal aborted. */
  async next(): Promise<boolean> {
    if (!this.rung && !this.signal.aborted) await new Promise<void>((resolve) => (this.wake = resolve));
    this.rung = false;
    return !this.signal.aborted;
  }

  end(): void {
    this.signal.removeEventListener("abort", this.stir);
    this.leave();
  }

  private readonly stir = (): void => {
    this.wake?.();
    this.wake = undefined;
  };
}

/** Of what an agent writes: a delta is as long as it likes, all else is of little size. */
function textOf(item: StreamItem | undefined): number {
  return item?.type === "delta" ? item.delta.text.length : 0;
}
