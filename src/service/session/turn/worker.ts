import { asFerryError } from "../../../base/errors.ts";
import { noteTurn } from "../../agent/last-turns.ts";
import { timestamp } from "../deps.ts";
import type { Session } from "../../../wire/resources.ts";
import type { Mutex } from "../mutex.ts";
import { Questions } from "./questions.ts";
import { leaveRoom } from "../leave.ts";
import { runTurn, type Turn, type TurnOutcome, type TurnTools } from "./run.ts";
import { settle, type UserMessage } from "../settle.ts";
import type { Trigger } from "../state.ts";

/** How long a lease holds without being renewed, and how often it is, in ms. */
const lease = { length: 30_000, renewal: 10_000 };
/** Between two tries to write down what happened, in ms: the first, doubled up to the longest. */
const pauses = { first: 500, longest: 30_000 };

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<void>;
  readonly questions: Questions;
}

/** Runs the messages of each session in order, one at a time, each session on its own. */
export class Worker {
  private readonly tools: TurnTools;
  private readonly lock: Mutex;
  private readonly turns = new Map<string, Running>();
  private readonly halt = new AbortController();

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
    const books = { store: this.tools.deps.store, timeline: this.tools.timeline };
    const questions = new Questions(books, this.lock, session.id, stop.signal);
    const done = this.work({ session, message, questions, signal: stop.signal, halt: this.halt.signal }, stop).catch(
      (error: unknown) => {
        this.tools.deps.log(`session ${session.id}: ${asFerryError(error).message}`);
      },
    );
    this.turns.set(session.id, { stop, done, questions });
  }

  /** The user has answered what the session's agent asked. */
  answer(sessionId: string, questionId: string, text: string): void {
    this.turns.get(sessionId)?.questions.answer(questionId, text);
  }

  /** Stops the session's turn, if there is one, and waits until all of it is dead and told. */
  async stop(sessionId: string): Promise<void> {
    const turn = this.turns.get(sessionId);
    turn?.stop.abort();
    await turn?.done;
  }

  /** Stops all turns; what is queued stays so. */
  async stopAll(): Promise<void> {
    this.halt.abort();
    await Promise.all([...this.turns.keys()].map((id) => this.stop(id)));
  }

  private get stopping(): boolean {
    return this.halt.signal.aborted;
  }

  private async work(turn: Turn, stop: AbortController): Promise<void> {
    const { deps, rooms } = this.tools;
    const { session } = turn;
    const over = new AbortController();
    try {
      await this.insist(session.id, () => this.holdLease(session.id, over.signal));
      const outcome = await runTurn(this.tools, turn);
      if (outcome.type === "no sandbox") await rooms.leave(session.id);
      await this.note(session, outcome);
      await this.insist(session.id, () => this.lock(session.id, () => this.conclude(session.id, outcome)));
    } finally {
      over.abort();
      // Where it could not be settled, it is over all the same.
      if (this.turns.get(session.id)?.stop === stop) this.turns.delete(session.id);
      if (!this.turns.has(session.id)) await deps.store.sessions.release(session.id, deps.owner);
    }
  }

  /** For those who ask whether the agent works here. */
  private async note({ model }: Session, { type, reason }: TurnOutcome): Promise<void> {
    const { deps } = this.tools;
    const [agent = ""] = model.split(":", 1);
    if ((type !== "completed" && type !== "failed") || this.stopping) return;
    const failure = type === "failed" ? reason : "";
    await noteTurn(deps.host.files, deps.data, agent, { at: timestamp(deps), failure }).catch((error: unknown) => {
      deps.log(`noting the last turn of ${agent}: ${asFerryError(error).message}`);
    });
  }

  /** Lets the turn's end happen to the session, and goes on with what waits. */
  private async conclude(sessionId: string, outcome: TurnOutcome): Promise<void> {
    const books = { store: this.tools.deps.store, timeline: this.tools.timeline };
    const { session, next } = await settle(books, sessionId, this.triggerOf(outcome), this.reasonOf(outcome));
    this.turns.delete(sessionId);
    if (next !== undefined) this.begin(session, next);
    else this.rest(sessionId);
  }

  /**
   * Writes until it succeeds: a disk that is full for a while must not leave a session at work for ever. Gives up when the
   * service stops; the next start recovers it.
   */
  private async insist<T>(sessionId: string, write: () => Promise<T>): Promise<T> {
    const { host, log } = this.tools.deps;
    for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.longest)) {
      try {
        return await write();
      } catch (error) {
        if (this.stopping || error instanceof LeaseTaken) throw error;
        log(`session ${sessionId}: ${asFerryError(error).message}; trying again`);
        await host.clock.sleep(pause, this.halt.signal).catch(() => undefined);
      }
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

  private reasonOf({ type, reason, said }: TurnOutcome): string {
    if (said === true) return "";
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
        throw new LeaseTaken("another service works on it");
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

class LeaseTaken extends Error {}

/** What is said of a turn that the service's end cut short. */
export const interruption = "the service stopped in the middle of this turn";
