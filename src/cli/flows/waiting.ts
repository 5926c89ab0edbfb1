import type { Context } from "../context.ts";

/** Does the work, and says meanwhile what it waits for, where a person looks on and it takes a while. */
export async function whileWaiting<T>(
  { host, global, interactive }: Pick<Context, "host" | "global" | "interactive">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!interactive || global.quiet) return work();
  const spinner = host.terminal.spin(`waiting for ${what}`);
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
