import type { Series } from "../series/series.ts";
import type { EngineName } from "../verdict.ts";
import { am } from "./am.ts";
import { bundle } from "./bundle.ts";
import type { Engine } from "./engine.ts";
import { exact } from "./exact/exact.ts";

/** The fastest first, and last the one that takes all. */
const engines: readonly Engine[] = [exact, am, bundle];

/** Those that can make this series, in the order in which they are tried: where one makes nothing of it, the next. */
export function enginesFor(series: Series, wanted: readonly EngineName[] | undefined): readonly Engine[] {
  return engines.filter((engine) => engine.suits(series) && (wanted?.includes(engine.name) ?? true));
}
