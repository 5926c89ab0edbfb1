import type { Spinner } from "./host.ts";

/** Most waits are shorter than it takes to read a line: nothing is shown, nor loaded, before that. */
const patience = 300;

/**
 * A spinner on stderr, where that is a terminal that knows its width: at 0 columns ora counts lines without end. `unicode` is false in one
 * that can't show more than ASCII.
 */
export function spin(text: string, unicode: boolean, stream: NodeJS.WriteStream = process.stderr): Spinner {
  if (!stream.isTTY || !(stream.columns > 0)) return { update: () => undefined, stop: () => undefined };
  let current = text;
  let stopped = false;
  let shown: { text: string; stop(): unknown } | undefined;
  const timer = setTimeout(() => void show(), patience);

  async function show(): Promise<void> {
    const { default: ora } = await import("ora");
    // Left alone, ora takes what is typed meanwhile, Ctrl-C included.
    if (!stopped) shown = ora({ text: current, stream, discardStdin: false, ...(!unicode && { spinner: "line" }) }).start();
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
