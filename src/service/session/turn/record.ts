import { makeBreather } from "../../../base/breather.ts";
import { asFerryError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Clock } from "../../../host/host.ts";
import type { Payload } from "../../../wire/event.ts";
import type { AgentChange } from "../../agent/agent.ts";
import { boundedPayload } from "../../agent/bounded-payload.ts";
import type { Room } from "../workspace/room.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { Allowance, sizeOf } from "./allowance.ts";

/** So many characters behind a colon are no chance. */
const telling = 10;
/** Events of one turn that an agent may make; what floods beyond them is not for reading. */
const maxEvents = 5000;
/** So many of those that aren't written yet when the turn is stopped still are, the last ones; a flood would take its time. */
const mostAtStop = 16;

/** What ferry does for the agent in between. */
interface Work {
  readonly type: "work";
  readonly run: () => Promise<void>;
}

/** What a record is made of. */
export interface Recording {
  readonly sessionId: string;
  readonly timeline: Timeline;
  readonly room: Room;
  readonly clock: Clock;
  /** Stops the turn. */
  readonly signal: AbortSignal;
}

/**
 * Writes down what the agent of one turn does, in the order in which it was reported. Reports are taken at once and written one
 * after another; the states of an event that pile up meanwhile become one.
 */
export class TurnRecord {
  private readonly sessionId: string;
  private readonly timeline: Timeline;
  private readonly room: Room;
  private readonly signal: AbortSignal;
  private readonly breathe: () => Promise<void>;
  private waiting: (AgentChange | Work)[] = [];
  private working: Promise<void> = Promise.resolve();
  private busy = false;
  /** The stored events by the agent's own keys, and whether they are over. */
  private readonly events = new Map<string, { readonly id: string; done: boolean; size: number }>();
  /** What the agent says may crowd out nothing of what it did in files. */
  private readonly told = new Allowance();
  private readonly files = new Allowance();
  private readonly saidOnce = new Set<string>();
  private dropped = 0;
  private works = 0;
  private remarked = false;
  /** The agent's last words. */
  private words = "";
  /** What the agent says that its session has cost so far, in USD; undefined where it didn't say in this turn. */
  total: number | undefined;

  constructor({ sessionId, timeline, room, clock, signal }: Recording) {
    this.sessionId = sessionId;
    this.timeline = timeline;
    this.room = room;
    this.signal = signal;
    this.breathe = makeBreather(clock, undefined);
  }

  readonly report = (change: AgentChange): Promise<void> => {
    const last = this.waiting.at(-1);
    if (change.type === "event" && last?.type === "event" && last.key === change.key) this.waiting.pop();
    return this.take(change);
  };

  /**
   * Runs work in its place among the reports, with what the agent changed before written down, and writes down its events. What it
   * changes in files is what its events tell.
   * @throws what the work throws, or what stopped the writing
   */
  async perform(work: () => Promise<readonly Payload[]>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.take({ type: "work", run: () => this.runWork(work).then(resolve, reject) }).catch(reject);
    });
  }

  /** What keeps the agent waiting, in its place among the reports; once a turn, since an agent tries again and again. */
  remark(text: string): void {
    if (this.remarked) return;
    this.remarked = true;
    void this.take({ type: "work", run: () => this.timeline.say(this.sessionId, `${text}; the agent may try again`) });
  }

  /** Whether the agent ended with these words, as some do with what made them fail; an adapter may put something before them. */
  wasSaid(reason: string): boolean {
    const said = oneLine(this.words).trim();
    return said !== "" && (reason === said || (said.length >= telling && reason.endsWith(`: ${said}`)));
  }

  private take(change: AgentChange | Work): Promise<void> {
    this.waiting.push(change);
    if (this.busy) return this.working;
    this.busy = true;
    this.working = this.write();
    // Whoever asks for `settled` is told; until then it is no reason to end the process.
    this.working.catch(() => undefined);
    return this.working;
  }

  /** When all that was reported is written, a last look at the files is too, and nothing is left open. */
  async settled(): Promise<void> {
    await this.working;
    await this.lookLast();
    await this.closeEvents();
    if (this.dropped > 0)
      await this.timeline.say(
        this.sessionId,
        `stopped while the agent told more than could be written; ${count(this.dropped, "event")} not listed`,
      );
  }

  /** As one, since each write waits for the disk. */
  private async closeEvents(): Promise<void> {
    const open = [...this.events.values()].filter(({ done }) => !done);
    if (open.length === 0) return;
    await this.timeline.together(this.sessionId, async (writer) => {
      for (const { id } of open) await writer.update(this.sessionId, id, { status: "canceled" });
    });
  }

  private async write(): Promise<void> {
    for (let change = this.next(); change !== undefined; change = this.next()) {
      // The store answers without a turn of the event loop: else a stop would be heard only when all is written.
      await this.breathe();
      if (change.type === "delta") this.tellDelta(change.text);
      else if (change.type === "worked") await this.lookBetween();
      else if (change.type === "work") await change.run();
      else if (change.type === "cost") this.total = change.total;
      else await this.writeEvent(change);
    }
    this.busy = false;
  }

  private next(): AgentChange | Work | undefined {
    if (this.signal.aborted && this.waiting.length > mostAtStop) this.dropWaiting();
    return this.waiting.shift();
  }

  private dropWaiting(): void {
    const events = this.waiting.filter(({ type }) => type === "event");
    const dropped = new Set(events.slice(0, -mostAtStop));
    this.waiting = this.waiting.filter((change) => !dropped.has(change));
    this.dropped += dropped.size;
  }

  private async runWork(work: () => Promise<readonly Payload[]>): Promise<void> {
    await this.look();
    try {
      for (const payload of await work())
        await this.writeEvent({ type: "event", key: `work ${this.works++}`, payload, done: true });
    } finally {
      // A merge may bring thousands of files: its event says so, and theirs would drown what the agent did itself.
      if (!this.signal.aborted) await this.room.look();
    }
  }

  private tellDelta(text: string): void {
    if (this.told.isUsedUp) return;
    this.timeline.tell(this.sessionId, { type: "delta", delta: { event_type: "agent_message", text } });
  }

  private async writeEvent({ key, payload: said, done }: Extract<AgentChange, { type: "event" }>): Promise<void> {
    const payload = boundedPayload(said);
    const known = this.events.get(key);
    const status = done ? "completed" : "processing";
    const isOneTooMany = known === undefined && this.events.size >= maxEvents;
    const size = sizeOf(payload);
    const fits = !isOneTooMany && this.told.take(size - (known?.size ?? 0));
    if (!fits)
      await this.sayOnce(
        isOneTooMany
          ? `the agent did more than ${maxEvents} things in this turn; the rest is not listed`
          : `the agent told more than ${this.told.size} in this turn; the rest is not listed`,
      );
    else if (payload.type === "agent_message") this.words = payload.message;
    if (known !== undefined) {
      if (fits) known.size = size;
      known.done = done;
      await this.timeline.update(this.sessionId, known.id, { status, ...(fits && { payload }) });
    } else if (fits) {
      const { id } = await this.timeline.append(this.sessionId, payload, status);
      this.events.set(key, { id, done, size });
    }
  }

  /** A stop kills the look too, and so does a limit; the last one comes after it. */
  private async lookBetween(): Promise<void> {
    try {
      if (!this.isEnding()) await this.look();
    } catch (error) {
      if (!this.isEnding()) throw error;
    }
  }

  private isEnding(): boolean {
    return this.signal.aborted || this.room.sandbox.exceeded() !== undefined;
  }

  /** What was seen before can still be saved where this one took too long. */
  private async lookLast(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      if (!this.room.isSeen) throw error;
      const { message } = asFerryError(error);
      await this.timeline.say(this.sessionId, `what it changed last in files isn't saved: ${message}`);
    }
  }

  /** What git sees of it, whoever or whatever changed the files. */
  private async look(): Promise<void> {
    const { payloads, more } = await this.room.look();
    for (const payload of payloads) {
      if (this.files.take(sizeOf(payload))) await this.timeline.append(this.sessionId, payload, "completed");
      else await this.sayOnce(`more than ${this.files.size} changed in files in this turn; the rest is not listed`);
    }
    if (more > 0 && !this.files.isUsedUp)
      await this.timeline.say(this.sessionId, `${more} more files changed; they are not listed`);
  }

  /** What floods the turn would say it again and again. */
  private async sayOnce(text: string): Promise<void> {
    if (this.saidOnce.has(text)) return;
    this.saidOnce.add(text);
    await this.timeline.say(this.sessionId, text);
  }
}
