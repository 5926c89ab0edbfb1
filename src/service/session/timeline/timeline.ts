import type { Store } from "../../store/store.ts";
import type { SessionsDeps } from "../deps.ts";
import type { StreamItem } from "../sessions.ts";
import { Followers } from "./followers.ts";
import { TimelineWriter } from "./writer.ts";

/** The sessions' timelines: written, and followed while they are. */
export class Timeline extends TimelineWriter {
  private readonly followers: Followers;

  constructor(deps: Pick<SessionsDeps, "store" | "host">) {
    const followers = new Followers();
    super(deps, followers);
    this.followers = followers;
  }

  /** Several writes as one: followers are told when all of them are on disk, or of none. */
  async together<T>(sessionId: string, work: (writer: TimelineWriter) => Promise<T>): Promise<T> {
    const told: StreamItem[] = [];
    const audience = { ring: () => undefined, tell: (_: string, item: StreamItem) => void told.push(item) };
    const result = await this.deps.store.transaction((store: Store) =>
      work(new TimelineWriter({ ...this.deps, store }, audience)),
    );
    this.followers.ring(sessionId);
    for (const item of told) this.tell(sessionId, item);
    return result;
  }

  /**
   * The stored events after a revision, then live ones, until the signal aborts. A stored event is only ever read from the
   * store, in the order of revisions, and the live side is a doorbell: so there is no gap, no repeat, and nothing to overflow.
   */
  async *follow(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<StreamItem> {
    const follower = this.followers.join(sessionId, signal);
    let seen = after;
    try {
      do {
        for await (const events of this.deps.store.timeline.pages(sessionId, { after: seen }))
          for (const event of events) {
            yield { type: "session_event", event };
            seen = event.revision ?? seen;
          }
        yield* follower.take();
      } while (await follower.next());
    } finally {
      follower.end();
    }
  }
}
