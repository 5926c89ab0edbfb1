import { FerryError } from "../../base/errors.ts";
import type { Incoming } from "../incoming/incoming.ts";

/** Whether patches are there for `git am`, something to put them on, and no way to have what they follow. */
export function canGoOntoHead({ head, series, ground, found }: Incoming): boolean {
  const isHomeless = series.items.length > 0 && series.base !== undefined && ground.at === undefined;
  return isHomeless && head.state !== "unborn" && found.patches !== undefined && series.unmailable === undefined;
}

/** @throws FerryError attention where the session went another way since its commits came, and what they stand on isn't here */
export function refuseOtherWay({ fit, ground, memory, head }: Incoming): void {
  if (fit !== "rewritten" || (ground.at !== undefined && !memory.isNote)) return;
  throw new FerryError("attention", "the session rewrote its history since its commits were put on this branch", {
    code: "history_rewritten",
    hint:
      head.state === "unborn"
        ? "pull in a clone that has the commit that it began at"
        : "take what came back (ferry pull --undo, or a new branch of what was here before), then: ferry pull --onto-head",
  });
}
