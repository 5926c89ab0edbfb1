/** What ends ferry in order. */
const ending = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Does work that computes and waits for nothing. No handler of ours would run before its end, however long it takes: meanwhile each
 * signal does what it does to any program, and ends the process at once.
 */
export function compute<T>(work: () => T): T {
  const handlers = ending.map((signal) => ({ signal, all: process.rawListeners(signal) as NodeJS.SignalsListener[] }));
  for (const signal of ending) process.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const { signal, all } of handlers) for (const handle of all) process.on(signal, handle);
  }
}
