import type { Client } from "../../../../client/client.ts";
import type { Context } from "../../../context.ts";
import type { KnownRepository } from "../../../flows/place/repository.ts";

/** Between two looks, in ms: an analysis takes minutes more often than seconds. */
const fastest = 1_000;
const slowest = 5_000;

export interface Finished {
  readonly repository: KnownRepository;
  readonly outcome: "completed" | "failed" | "timeout";
}

/**
 * Reads the repository again and again until the analysis that was just started has ended. `before` is the repository as it was
 * before that, so that the end of an earlier one isn't taken for this one's.
 */
export async function waitForAnalysis(
  { host, interactive, global }: Context,
  client: Client,
  before: KnownRepository,
  timeout: number | undefined,
): Promise<Finished> {
  const { clock } = host;
  const ends = timeout === undefined ? Infinity : clock.elapsed() + timeout;
  const spinner = interactive && !global.quiet ? host.terminal.spin("analyzing") : undefined;
  let begun = false;
  try {
    for (let interval = fastest; ; interval = Math.min(slowest, interval * 1.5)) {
      const now = await client.readRepository({ params: { id: before.id } });
      begun ||= isUnderWay(now) || hasChanged(now, before);
      const outcome = begun ? outcomeOf(now, before) : undefined;
      if (outcome !== undefined) return { repository: now, outcome };
      const left = ends - clock.elapsed();
      if (left <= 0) return { repository: now, outcome: "timeout" };
      await clock.sleep(Math.min(interval, left), host.interrupt);
    }
  } finally {
    spinner?.stop();
  }
}

/** The seed names `pending` alone; `running` is ours. */
function isUnderWay({ analysis_status }: KnownRepository): boolean {
  return analysis_status === "pending" || analysis_status === "running";
}

function hasChanged(now: KnownRepository, before: KnownRepository): boolean {
  return (["analysis_status", "analysis_error", "last_analyzed_at", "updated_at"] as const).some(
    (name) => (now[name] ?? "") !== (before[name] ?? ""),
  );
}

/** `failed` and `completed` are ours; of other words the seed's own fields tell which it is. */
function outcomeOf(now: KnownRepository, before: KnownRepository): "completed" | "failed" | undefined {
  if (isUnderWay(now)) return undefined;
  if (now.analysis_status === "failed") return "failed";
  if (now.analysis_status === "completed") return "completed";
  if ((now.last_analyzed_at ?? "") !== (before.last_analyzed_at ?? "")) return "completed";
  return now.analysis_error ? "failed" : undefined;
}
