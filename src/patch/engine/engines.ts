import type { Series } from "../series/series.ts";
import { am } from "./am.ts";
import { bundle } from "./bundle.ts";
import type { Engine } from "./engine.ts";

/** Mail where it can be mail. */
export function engineFor(series: Series): Engine {
  return series.unmailable === undefined ? am : bundle;
}
