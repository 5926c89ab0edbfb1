import { EventEmitter } from "node:events";
import type { Clock } from "../../host/host.ts";
import { Problem } from "../problem.ts";
import type { KeyRecord, KeyStore } from "../store/store.ts";

/** How keys end, and how whoever still answers for one learns of it. */
export interface KeyEnds {
  /**
   * Ends a key for good. Gives it as it is afterwards; undefined where there is none.
   * @throws Problem 409 for the service's own
   */
  revoke(id: string): Promise<KeyRecord | undefined>;
  /** A signal that aborts when the key is revoked or expires; it is watched until `over` aborts. */
  watch(key: KeyRecord, over: AbortSignal): Promise<AbortSignal>;
}

/** How long a key's expiry is slept for at once, in ms: a machine that was suspended, or whose clock was set, is soon right again. */
const nap = 60_000;

/**
 * For the one process that serves the store: a key that another one revokes is not told of. `ownKeyId` is the key in the data folder's
 * file, which ferry itself calls the service with.
 */
export function makeKeyEnds(keys: KeyStore, clock: Clock, ownKeyId: string): KeyEnds {
  const revocations = new EventEmitter().setMaxListeners(0);
  return {
    async revoke(id) {
      if (id === ownKeyId)
        throw new Problem(
          409,
          "own_key",
          "this is ferry's own key on this machine: without it --host local would be refused until the service starts again",
        );
      const key = await keys.revoke(id, new Date(clock.now()).toISOString());
      revocations.emit(id);
      return key;
    },
    async watch({ id, expires_at }, over) {
      const ended = new AbortController();
      const end = (): void => ended.abort();
      revocations.once(id, end);
      over.addEventListener("abort", () => revocations.off(id, end), { once: true });
      // What `over` ends has nothing to tell.
      if (expires_at !== null) void untilTime(Date.parse(expires_at), over, clock).then(end, () => undefined);
      // It may have been revoked after it was let in, and before it was watched.
      if ((await keys.find(id))?.revoked_at !== null) end();
      return ended.signal;
    },
  };
}

async function untilTime(time: number, over: AbortSignal, clock: Clock): Promise<void> {
  for (let left = time - clock.now(); left > 0; left = time - clock.now()) await clock.sleep(Math.min(left, nap), over);
}
