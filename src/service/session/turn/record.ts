import { asFerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Payload } from "../../../wire/event.ts";
import type { AgentChange } from "../../agent/agent.ts";
import type { Room } from "../workspace/room.ts";
import type { Timeline } from "../timeline/timeline.ts";

/** So many characters behind a colon are no chance. */
const telling = 10;
/** Events of one turn that an agent may make; what floods beyond them is not for reading. */
const maxEvents = 5000;

/** What ferry does for the agent in between. */
interface Work {
  readonly type: "work";
  readonly run: () => Promise<void>;
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
  private waiting: (AgentChange | Work)[] = [];
  private working: Promise<void> = Promise.resolve();
  private busy = false;
  /** The stored events by the agent's own keys, and whether they are over. */
  private readonly events = new Map<string, { readonly id: string; done: boolean }>();
  private flooded = false;
  private works = 0;
  private remarked = false;
  /** The agent's last words. */
  private words = "";
  /** What the agent says that its session has cost so far, in USD; undefined where it didn't say in this turn. */
  total: number | undefined;

  constructor(sessionId: string, timeline: Timeline, room: Room, signal: AbortSignal) {
    this.sessionId = sessionId;
    this.timeline = timeline;
    this.room = room;
    this.signal = signal;
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
    for (const event of this.events.values())
      if (!event.done) await this.timeline.update(this.sessionId, event.id, { status: "canceled" });
  }

  private async write(): Promise<void> {
    for (let change = this.waiting.shift(); change !== undefined; change = this.waiting.shift()) {
      if (change.type === "delta") this.tellDelta(change.text);
      else if (change.type === "worked") await this.lookBetween();
      else if (change.type === "work") await change.run();
      else if (change.type === "cost") this.total = change.total;
      else await this.writeEvent(change);
    }
    this.busy = false;
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
    this.timeline.tell(this.sessionId, { type: "delta", delta: { event_type: "agent_message", text } });
  }

  private async writeEvent({ key, payload, done }: Extract<AgentChange, { type: "event" }>): Promise<void> {
    if (payload.type === "agent_message") this.words = payload.message;
    const known = this.events.get(key);
    const status = done ? "completed" : "processing";
    if (known !== undefined) {
      known.done = done;
      await this.timeline.update(this.sessionId, known.id, { status, payload });
    } else if (this.events.size < maxEvents) {
      const { id } = await this.timeline.append(this.sessionId, payload, status);
      this.events.set(key, { id, done });
    } else if (!this.flooded) {
      this.flooded = true;
      await this.timeline.say(this.sessionId, `the agent did more than ${maxEvents} things in this turn; the rest is not listed`);
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
    for (const payload of payloads) await this.timeline.append(this.sessionId, payload, "completed");
    if (more > 0) await this.timeline.say(this.sessionId, `${more} more files changed; they are not listed`);
  }
}
