import { basename, dirname, join } from "node:path";
import { FerryError } from "../../../base/errors.ts";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import type { Verb } from "../../verb.ts";
import { ownHook, ownHookBefore, withBlock, withoutBlock } from "./block.ts";
import { findHooks, type Hook, hookFields, leadingOut, requireHooksFolder, withHooks, writeHook } from "./place.ts";

export const install: Verb = {
  name: "install",
  summary: "Let git's own hooks pull the linked session's commits",
  answer: hookFields,
  description:
    "Let git's own hooks pull the linked session's commits: after a change of branch and after a merge; before a push they only say that there are newer ones. Hooks that are there already go on working.",
  examples: ["ferry hook install", "git config ferry.hookStrict true   # a pull that fails fails the hook"],
  async run(context) {
    await requireHooksFolder(context);
    const hooks = await withHooks(context, async (hooks) => {
      for (const hook of hooks) requireRoom(hook);
      for (const hook of hooks) {
        await put(context, hook);
        await context.print.note(`${hook.name}: ${hook.path}`);
      }
      return hooks;
    });
    if (hooks.some(({ text }) => isHusky(text)))
      await context.print.note(
        'husky writes them anew whenever it is set up: let the prepare script of package.json say "husky && ferry hook install || true"',
      );
    const leading = await leadingOut(context);
    if (leading !== undefined)
      await context.print.note(`${leading} leads out of this repository: they run in each that uses this folder`);
    if (context.global.json)
      await context.print.json((await findHooks(context)).map(({ name, path, installed }) => ({ name, installed, path })));
  },
};

/** The scripts that it puts into its folder all go on to one beside them. */
function isHusky(text: string): boolean {
  return /^\. "\$\(dirname (?:-- )?"\$0"\)\/h"$/mu.test(text);
}

/** @throws FerryError attention where what is there can be no hook, or would, put aside, take another one's place */
function requireRoom({ name, path, kind, holds, aside, kept }: Hook): void {
  if (kind === "folder" || kind === "other")
    throw new FerryError("attention", `${oneLine(path)} is ${kind === "folder" ? "a folder" : "no file"}, and no hook`, {
      hint: "take it away, or call it otherwise",
    });
  if (holds !== "other" || kept !== "another") return;
  throw new FerryError("attention", `${oneLine(aside)} is there already, where ${name} would be put aside`, {
    hint: "see which of the two is wanted, and take the other one away",
  });
}

async function put(context: Context, hook: Hook): Promise<void> {
  const { files } = context.host;
  const { name, path, holds, text, mode, aside, installed, kept, link } = hook;
  if (holds === "script") return writeHook(context, hook, withBlock(text, name));
  if (holds !== "other") return putOwn(context, hook);
  // It stays in its place till ours, whole, takes that: who kills us never leaves git without a hook.
  if (kept === "nothing") {
    if (installed) await files.write(aside, Buffer.from(withoutBlock(text), "latin1"), mode);
    else await files.double(path, aside);
  }
  try {
    await putOwn(context, hook);
  } catch (error) {
    for (const made of [link, aside]) await files.remove(made);
    throw error;
  }
}

/** Ours alone, and before the one that was put aside, now or by an earlier install. */
async function putOwn(context: Context, hook: Hook): Promise<void> {
  const { files } = context.host;
  const { name, aside, link } = hook;
  const own = { ...hook, mode: 0o755 };
  if ((await files.status(aside)) === undefined) return writeHook(context, own, ownHook(name));
  await files.makeFolder(dirname(link), 0o777);
  await files.link(link, join("..", basename(aside)));
  await writeHook(context, own, ownHookBefore(name));
}
