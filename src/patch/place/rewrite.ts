import { FerryError } from "../../base/errors.ts";
import { harmless } from "../../base/text.ts";
import type { PullContext } from "../context.ts";
import type { Incoming } from "../incoming/incoming.ts";
import type { Quarantine } from "../quarantine.ts";
import { ownBranch } from "./own-branch.ts";
import { short } from "../series/series.ts";

/**
 * Where the session rewrote what had come: refused with the difference, unless it was accepted and the branch has nothing of its own
 * on top.
 * @throws FerryError attention, code `history_rewritten`, the lines of a range-diff as its details
 */
export async function refuseRewrite(incoming: Incoming, quarantine: Quarantine, { git, request }: PullContext): Promise<void> {
  const { head, series, at, fit } = incoming;
  if (fit !== "rewritten") return;
  const came = at.cursor ?? "";
  if (request.acceptRewrite === true && head.state !== "unborn" && head.commit === came) return;
  const from = series.base ?? "";
  const args = ["range-diff", "--no-color", `${from}..${came}`, `${from}..${series.tip}`];
  const difference = from === "" ? undefined : await git.run(args, quarantine.options);
  const isOnTop = request.acceptRewrite === true;
  throw new FerryError(
    "attention",
    isOnTop
      ? "the session rewrote its history, and this branch has commits of its own since it came"
      : `the session rewrote its history: ${short(came)}, which came here before, is no longer in it`,
    {
      code: "history_rewritten",
      details: harmless(difference?.stdout.toString("utf8") ?? "")
        .split("\n")
        .filter((line) => line !== ""),
      hint: isOnTop
        ? `bring the new one to a branch of its own: ${ownBranch(request)}`
        : "look at the difference, then pull with --accept-rewrite",
    },
  );
}
