export type Remembered = "key-form" | "capabilities";

/**
 * What ferry remembers of one host between runs (which form of the key it takes, what it can do). The values are plain JSON;
 * whoever injects it keeps them apart by host, in the state folder.
 */
export interface Memory {
  get(name: Remembered): Promise<unknown>;
  /** `undefined` forgets. */
  set(name: Remembered, value: unknown): Promise<void>;
}

/** A memory for one run, where nothing may be kept. */
export function forgetfulMemory(): Memory {
  const values = new Map<string, unknown>();
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    },
  };
}
