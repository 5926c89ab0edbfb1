import type { Command } from "commander";
import { FerryError } from "../../../base/errors.ts";
import type { Context } from "../../context.ts";

/** What every command that starts a session takes. */
export interface StartOptions {
  readonly repo?: string;
  readonly base?: string;
  readonly branch?: string;
  readonly autoCommit?: boolean;
  readonly model?: string;
}

/** What `--updates` says wherever a timeline is followed. */
export const updatesHelp =
  "with --json, each change of an event too (a command's output and exit code); without it, an event is printed once, as it first came";

/** @throws FerryError usage where it was asked for and says nothing: lines for a person tell changes anyway */
export function checkUpdates({ global }: Pick<Context, "global">, updates: boolean): void {
  if (updates && !global.json) throw new FerryError("usage", "--updates is for --json");
}

/** `autoCommit` is what is asked for where neither of its two flags is given; without it, that is the service's choice. */
export function addStartOptions(command: Command, autoCommit?: boolean): void {
  command
    .option("--repo <repository>", "id or owner/name (default: the one of this working copy)")
    .option("--base <branch>", "the branch to start from (default: the current commit)")
    .option("--branch <name>", "the branch that the session works on")
    .option("--auto-commit", `commit after each turn${autoCommit === true ? " (the default)" : ""}`, autoCommit)
    .option("--no-auto-commit", `leave committing to the agent${autoCommit === true ? "" : " (a service's default)"}`)
    .option("--model <code>", "the language model, or the agent");
}
