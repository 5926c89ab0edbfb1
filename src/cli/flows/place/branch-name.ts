import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";

/** Whether git takes it for a branch's (git-check-ref-format(1)). */
export async function isBranchName({ git, folder }: Context, name: string): Promise<boolean> {
  if (name.startsWith("-") || name.includes("\0")) return false;
  return (await git.run(["check-ref-format", `refs/heads/${name}`], { cwd: folder })).code === 0;
}

/** @throws FerryError usage for a name that git takes for no branch, before anything is said or made */
export async function checkBranchName(context: Context, name: string | undefined, flag = "--branch"): Promise<void> {
  if (name === undefined || (await isBranchName(context, name))) return;
  throw new FerryError("usage", `${flag} ${oneLine(name)}: git takes no branch of that name`, {
    hint: "see git help check-ref-format",
  });
}
