import type { Spinner } from "./host.ts";

/** Most waits are shorter than it takes to read a line: nothing is shown, nor loaded, before that. */
const patience = 300;

/** A spinner on stderr, where that is a terminal. */
export function spin(text: string): Spinner {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  let current = text;
  let stopped = false;
  let shown: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(() => void show(), patience);

  async function show(): Promise<void> {
    const { default: ora } = await import("ora");
    // Left alone, ora takes what is typed meanwhile, Ctrl-C included.
    if (!stopped) shown = ora({ text: current, stream: process.stderr, discardStdin: false }).start();
  }

  return {
    update(next) {
      current = next;
      if (shown !== undefined) shown.text = next;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      shown?.stop();
    },
  };
}
