import { asFerryError } from "../../../base/errors.ts";
import type { Session } from "../../../wire/resources.ts";
import type { Mutex } from "../mutex.ts";
import { runTurn, type TurnOutcome, type TurnTools } from "./run.ts";
import { findSession, settle, type UserMessage } from "../settle.ts";
import type { Trigger } from "../state.ts";

/** How long a lease holds without being renewed, and how often it is, in ms. */
const lease = { length: 30_000, renewal: 10_000 };

/** Runs the messages of each session in order, one at a time, each session on its own. */
export class Worker {
  private readonly tools: TurnTools;
  private readonly lock: Mutex;
  private readonly turns = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  private stopping = false;

  constructor(tools: TurnTools, lock: Mutex) {
    this.tools = tools;
    this.lock = lock;
  }

  get busy(): boolean {
    return this.turns.size > 0;
  }

  works(sessionId: string): boolean {
    return this.turns.has(sessionId);
  }

  /** Works on a message that is `processing`, and then on what is queued behind it. */
  begin(session: Session, message: UserMessage): void {
    const stop = new AbortController();
    const done = this.work(session, message, stop).catch((error: unknown) => {
      this.tools.deps.log(`session ${session.id}: ${asFerryError(error).message}`);
    });
    this.turns.set(session.id, { stop, done });
  }

  /** Stops the session's turn, if there is one, and waits until all of it is dead and told. */
  async stop(sessionId: string): Promise<void> {
    const turn = this.turns.get(sessionId);
    turn?.stop.abort();
    await turn?.done;
  }

  /** Stops all turns; what is queued stays so. */
  async stopAll(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.turns.keys()].map((id) => this.stop(id)));
  }

  private async work(session: Session, message: UserMessage, stop: AbortController): Promise<void> {
    const { deps, rooms } = this.tools;
    const over = new AbortController();
    try {
      await this.holdLease(session.id, over.signal);
      const outcome = await runTurn(this.tools, { session, message, signal: stop.signal });
      if (outcome.type === "no sandbox") await rooms.leave(session.id);
      await this.lock(session.id, async () => {
        const trigger = this.triggerOf(outcome);
        const books = { store: deps.store, timeline: this.tools.timeline };
        const settled = await settle(books, session.id, trigger, this.reasonOf(outcome));
        this.turns.delete(session.id);
        if (settled.next !== undefined) this.begin(settled.session, settled.next);
        else this.rest(session.id);
      });
    } finally {
      over.abort();
      // Where it could not be settled, it is over all the same.
      if (this.turns.get(session.id)?.stop === stop) this.turns.delete(session.id);
      if (!this.turns.has(session.id)) await deps.store.sessions.release(session.id, deps.owner);
    }
  }

  private triggerOf({ type }: TurnOutcome): Trigger {
    switch (type) {
      case "completed":
        return { type: "turn ended", hold: this.stopping };
      case "failed":
        return { type: "turn failed", hold: this.stopping };
      case "canceled":
        return { type: this.stopping ? "interrupted" : "stopped" };
      case "no sandbox":
        return { type: "no sandbox" };
    }
  }

  private reasonOf({ type, reason }: TurnOutcome): string {
    return this.stopping && type === "canceled" ? interruption : reason;
  }

  private rest(sessionId: string): void {
    const { deps, rooms } = this.tools;
    const giveUp = () =>
      this.lock(sessionId, async () => {
        if (!this.turns.has(sessionId)) await leaveRoom(this.tools, sessionId);
      });
    rooms.rest(sessionId, () =>
      giveUp().catch((error: unknown) => deps.log(`session ${sessionId}: giving up its sandbox: ${asFerryError(error).message}`)),
    );
  }

  private async holdLease(sessionId: string, over: AbortSignal): Promise<void> {
    const { store, owner, host, log } = this.tools.deps;
    const take = async () => {
      const now = host.clock.now();
      if (!(await store.sessions.lease(sessionId, owner, now + lease.length, now)))
        throw new Error("another service works on it");
    };
    await take();
    const renew = async () => {
      for (;;) {
        await host.clock.sleep(lease.renewal, over);
        await take();
      }
    };
    renew().catch((error: unknown) => {
      if (!over.aborted) log(`session ${sessionId}: ${asFerryError(error).message}`);
    });
  }
}

/** What is said of a turn that the service's end cut short. */
export const interruption = "the service stopped in the middle of this turn";

/** Gives the session's sandbox up, in its record too. */
export async function leaveRoom(
  { deps, rooms, timeline }: Pick<TurnTools, "deps" | "rooms" | "timeline">,
  sessionId: string,
): Promise<void> {
  await rooms.leave(sessionId);
  const session = await findSession(deps.store, sessionId);
  if (session.sandbox_id !== undefined) await timeline.change(sessionId, { sandbox_id: undefined });
}
