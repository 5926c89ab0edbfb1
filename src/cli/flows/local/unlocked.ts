import type { LocalService } from "./find.ts";

/** What it is that an agent isn't locked in; undefined where it is, or where a service of an earlier version doesn't say. */
export function unlocked({ sandbox }: Pick<LocalService, "sandbox">): string | undefined {
  return sandbox === "process" ? "process: the agent can do to this machine what you can" : undefined;
}

/** As a line of its own: said each time, since `process` is for machines that are thrown away. */
export function unlockedLine(service: Pick<LocalService, "sandbox">): string | undefined {
  const what = unlocked(service);
  return what && `no sandbox (${what})`;
}
