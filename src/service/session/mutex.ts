/** Runs work of the same key one after another, in the order of the calls; different keys don't wait for each other. */
export type Mutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function makeMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
