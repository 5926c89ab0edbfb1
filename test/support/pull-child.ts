import { readFileSync } from "node:fs";
import { type ParkedRequest, resumeParked } from "../../src/patch/parked/parked.ts";
import type { Checkpoint, PullRequest } from "../../src/patch/request.ts";
import { undo } from "../../src/patch/undo.ts";
import type { EngineName } from "../../src/patch/verdict.ts";
import { pullElsewhere } from "../../src/patch/worktree/pull.ts";
import { makeDeps, pullInto, pullRequest } from "./pulling.ts";
import { sandboxSource } from "./series.ts";
import { branchOffers } from "./upstream.ts";

/** A pull in a process of its own that dies of SIGKILL at a marked point. What to do is JSON in a file. */
export interface PullChild {
  readonly folder: string;
  readonly sandbox: string;
  readonly base: string;
  readonly dieAt: Checkpoint | "";
  /** From the branch `work` of the remote `origin` instead of the patch stream. */
  readonly fromBranch?: boolean;
  readonly options?: Pick<PullRequest, "onConflict" | "uncommitted" | "autostash">;
  readonly engine?: EngineName;
  /** Into a linked worktree instead, on the branch `agent/x`. */
  readonly worktree?: string;
  /** Ends a parked pull instead, or takes the last one back. */
  readonly how?: ParkedRequest["how"] | "undo";
}

const task = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as PullChild;
const source = sandboxSource({ folder: task.sandbox, branch: "HEAD", base: task.base });
const checkpoint = (name: Checkpoint): Promise<void> => {
  if (name !== task.dieAt) return Promise.resolve();
  process.kill(process.pid, "SIGKILL");
  // The signal comes a moment later; nothing more may happen till then.
  return new Promise(() => undefined);
};
try {
  if (task.how === "undo") await undo(pullRequest(task.folder, source), makeDeps({}, { checkpoint }));
  else if (task.how !== undefined) await resumeParked({ folder: task.folder, how: task.how }, makeDeps({}, { checkpoint }));
  else if (task.worktree !== undefined)
    await pullElsewhere(
      { ...pullRequest(task.folder, source), worktree: task.worktree, sessionBranch: "agent/x" },
      makeDeps({}, { checkpoint }),
    );
  else if (task.fromBranch === true)
    await pullInto(task.folder, undefined, { offers: branchOffers(task.base), deps: { checkpoint } });
  else await pullInto(task.folder, source, { ...task.options, engine: task.engine, deps: { checkpoint } });
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = 1;
}
