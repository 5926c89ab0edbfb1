import { asFerryError, FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Payload } from "../../../wire/event.ts";
import type { ToolAnswer, ToolBox } from "../../agent/tools/tool-box.ts";
import { Problem } from "../../problem.ts";
import { checkArguments } from "./arguments.ts";
import { branchDiff, conflictState, uncommittedChanges } from "./compare.ts";
import { abortMerge, checkMergeability, mergeRemoteBranch } from "./merge.ts";
import { pullFromRemote, pushToRemote } from "./remote.ts";
import { rollBackUncommitted } from "./roll-back.ts";
import type { Done, Scene, Tool } from "./tool.ts";

const tools: readonly Tool[] = [
  branchDiff,
  uncommittedChanges,
  pullFromRemote,
  mergeRemoteBranch,
  conflictState,
  abortMerge,
  checkMergeability,
  pushToRemote,
  rollBackUncommitted,
];

/** Calls in one turn that go to the origin; more are the work of a loop. */
const mostRemote = 50;

/** The turn in which tools are called. */
export interface DeskTurn {
  /** What holds now, with the workspace at rest. */
  scene(): Promise<Scene>;
  /** Runs work when all is written down that the agent did before, and writes down its events; nothing else looks meanwhile. */
  perform(work: () => Promise<readonly Payload[]>): Promise<void>;
  /** Tells the user what keeps the agent waiting. */
  remark(reason: string): void;
}

/** Where the agent of a session calls ferry's tools: open while a turn runs, and one call at a time. */
export class Desk implements ToolBox {
  readonly tools = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  private turn: DeskTurn | undefined;
  private remote = 0;
  private last: Promise<unknown> = Promise.resolve();

  open(turn: DeskTurn): void {
    this.turn = turn;
    this.remote = 0;
  }

  close(): void {
    this.turn = undefined;
  }

  /** Between two turns there is nobody to tell. */
  remark(reason: string): void {
    this.turn?.remark(reason);
  }

  call(name: string, args: unknown): Promise<ToolAnswer> {
    const mine = this.last.then(() => this.answer(name, args));
    this.last = mine;
    return mine;
  }

  private async answer(name: string, args: unknown): Promise<ToolAnswer> {
    try {
      return { text: await this.run(name, args), failed: false };
    } catch (error) {
      const message = error instanceof Problem ? error.message : asFerryError(error).message;
      return { text: oneLine(message), failed: true };
    }
  }

  private async run(name: string, args: unknown): Promise<string> {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new FerryError("usage", "there is no such tool");
    const checked = checkArguments(args, tool.inputSchema);
    const { turn } = this;
    if (turn === undefined) throw new FerryError("failure", "no turn is running");
    if (tool.remote && ++this.remote > mostRemote)
      throw new FerryError("failure", `the origin was asked ${mostRemote} times in this turn; that is all`);
    let done: Done | undefined;
    await turn.perform(async () => {
      done = await tool.run(await turn.scene(), checked);
      return done.payloads;
    });
    return done?.text ?? "";
  }
}
