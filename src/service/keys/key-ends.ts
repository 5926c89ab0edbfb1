import { EventEmitter } from "node:events";
import type { Clock } from "../../host/host.ts";
import { Problem } from "../problem.ts";
import type { KeptKey, KeyRecord, KeyStore } from "../store/store.ts";

/** How keys end, and how whoever still answers for one learns of it. */
export interface KeyEnds {
  /**
   * Ends a key for good. Gives it as it is afterwards; undefined where there is none.
   * @throws Problem 409 for the service's own
   */
  revoke(id: string): Promise<KeptKey | undefined>;
  /** A signal that aborts when the key is revoked or expires; it is watched until `over` aborts. */
  watch(key: KeyRecord, over: AbortSignal): Promise<AbortSignal>;
}

/**
 * How often a key that is watched is looked at, in ms: another process may have revoked it (`ferry service user remove`), and a machine that
 * was suspended, or whose clock was set, is soon right again.
 */
const nap = 5_000;

/**
 * What this process revokes is told of at once. `ownKeyId` is the key in the data folder's
 * file, which ferry itself calls the service with.
 */
export function makeKeyEnds(keys: KeyStore, clock: Clock, ownKeyId: string): KeyEnds {
  const revocations = new EventEmitter().setMaxListeners(0);

  async function untilEnded({ id, expires_at }: Pick<KeyRecord, "id" | "expires_at">, over: AbortSignal): Promise<void> {
    const end = expires_at === null ? Infinity : Date.parse(expires_at);
    while (end > clock.now()) {
      await clock.sleep(Math.min(end - clock.now(), nap), over);
      if ((await keys.find(id))?.revoked_at !== null) return;
    }
  }

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
      void untilEnded({ id, expires_at }, over).then(end, () => undefined);
      // It may have been revoked after it was let in, and before it was watched.
      if ((await keys.find(id))?.revoked_at !== null) end();
      return ended.signal;
    },
  };
}
