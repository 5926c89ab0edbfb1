import { FerryError } from "../../base/errors.ts";
import type { Head } from "../../git/discover.ts";
import type { Memory } from "../incoming/refs.ts";
import type { Series } from "../series/series.ts";
import type { Ground } from "../sources/base.ts";
import type { Found } from "../sources/found.ts";

/** What of an `Incoming` tells whether its commits can go onto HEAD. */
interface Homeless {
  readonly head: Head;
  readonly series: Series;
  readonly ground: Ground;
  readonly found: Found;
}

/** What of an `Incoming` tells that the session went another way. */
interface OtherWay {
  readonly head: Head;
  readonly fit: string;
  readonly ground: Ground;
  readonly memory: Memory;
}

/** Whether patches are there for `git am`, something to put them on, and no way to have what they follow. */
export function canGoOntoHead({ head, series, ground, found }: Homeless): boolean {
  const isHomeless = series.items.length > 0 && series.base !== undefined && ground.at === undefined;
  return isHomeless && head.state !== "unborn" && found.patches !== undefined && series.unmailable === undefined;
}

/** @throws FerryError attention where the session went another way since its commits came, and what they stand on isn't here */
export function refuseOtherWay({ fit, ground, memory, head }: OtherWay): void {
  if (fit !== "rewritten" || (ground.at !== undefined && !memory.isNote)) return;
  throw new FerryError("attention", "the session rewrote its history since its commits were put on this branch", {
    code: "history_rewritten",
    hint:
      head.state === "unborn"
        ? "pull in a clone that has the commit that it began at"
        : "take what came back (ferry pull --undo, or a new branch of what was here before), then: ferry pull --onto-head",
  });
}
