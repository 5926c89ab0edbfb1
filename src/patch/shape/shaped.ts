import type { Pickable } from "../place/rebuild.ts";
import type { Series } from "../series/series.ts";
import type { Verdict } from "../verdict.ts";

/** A series as it is to come, on the commit that the sandbox's follows. */
export interface Shaped {
  /** For each commit of the series the one that is to come for it. */
  readonly items: readonly Pickable[];
  /** "" where there is none: nothing is left of a history that begins here. */
  readonly tip: string;
  /** approximate: without some of what the sandbox's hold. */
  readonly exactness: Verdict["exactness"];
  readonly notices: readonly string[];
}

/** Nothing is changed. */
export function asInSandbox({ items, tip }: Series): Shaped {
  return { items, tip, exactness: "exact", notices: [] };
}
