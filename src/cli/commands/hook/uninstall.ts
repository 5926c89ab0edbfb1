import { dirname } from "node:path";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import type { Verb } from "../../verb.ts";
import { asideEnding, withoutBlock } from "./block.ts";
import { findHooks, type Hook, hookFields, removeUnusedLinks, withHooks, writeHook } from "./place.ts";

export const uninstall: Verb = {
  name: "uninstall",
  summary: "Take ferry's part out of git's hooks",
  answer: hookFields,
  examples: ["ferry hook uninstall"],
  async run(context) {
    // Where there is nothing, the folder need not be one that can be written.
    const isThere = (await findHooks(context)).some((hook) => isOfFerry(hook) || hook.leftovers.length > 0);
    const changed = isThere ? await withHooks(context, (hooks) => takeOutOf(context, hooks)) : [];
    if (context.global.json) await context.print.json(changed.map(({ name, path }) => ({ name, installed: false, path })));
    const named = (hooks: readonly Hook[]): string => hooks.map(({ name }) => name).join(", ");
    const lost = changed.filter(({ kept }) => kept === "lost");
    const others = changed.filter(({ kept }) => kept !== "lost");
    if (lost.length > 0) await context.print.note(`put back, which lay aside: ${named(lost)}`);
    if (others.length > 0) await context.print.note(`taken out of ${named(others)}`);
    if (changed.length === 0) await context.print.note("there was nothing of ferry's");
  },
};

/** Also what an install that was killed, or the taking away of ours by hand, has left. */
function isOfFerry({ installed, kept }: Hook): boolean {
  return installed || kept === "lost" || kept === "twice";
}

/** Gives those that had a part of ours. */
async function takeOutOf(context: Context, hooks: readonly Hook[]): Promise<Hook[]> {
  const changed = hooks.filter(isOfFerry);
  for (const hook of changed) await takeOut(context, hook);
  return changed;
}

async function takeOut(context: Context, hook: Hook): Promise<void> {
  const { files } = context.host;
  const { path, holds, text, aside, link, installed, kept } = hook;
  if (holds === "script" || holds === "other") {
    if (installed) await writeHook(context, hook, withoutBlock(text));
    // It was put there for a hook of ours, in whose place somebody has written another one since.
    if (kept === "another" && !text.includes(asideEnding))
      await context.print.note(`${oneLine(aside)} is from an earlier install, and stays`);
    if (kept !== "twice") return;
    await files.remove(aside);
  } else if (kept === "nothing") await files.remove(path);
  else {
    // An earlier ferry took folders for hooks; none takes a file's place.
    if ((await files.status(aside))?.kind === "folder") await files.remove(path);
    await files.rename(aside, path);
  }
  await files.remove(link);
  await removeUnusedLinks(files, dirname(link));
}
