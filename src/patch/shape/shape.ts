import type { Pickable } from "../place/rebuild.ts";
import type { Series } from "../series/series.ts";
import type { Verdict } from "../verdict.ts";

/** What the user wants to be otherwise in the commits than in the sandbox; by default nothing is. */
export interface Shape {
  /** As `git commit --signoff`. */
  readonly signoff?: boolean | undefined;
  /** As `git commit --trailer`: `Key: value`, a line each. */
  readonly trailers?: readonly string[] | undefined;
  /** As `git commit --amend --reset-author`. */
  readonly resetAuthor?: boolean | undefined;
}

/** A series as it is to come, on the commit that the sandbox's follows. */
export interface Shaped {
  /** For each commit of the series the one that is to come for it. */
  readonly items: readonly Pickable[];
  readonly tip: string;
  readonly exactness: Verdict["exactness"];
  readonly notices: readonly string[];
}

/** Nothing is changed. */
export function asInSandbox({ items, tip }: Series): Shaped {
  return { items, tip, exactness: "exact", notices: [] };
}
