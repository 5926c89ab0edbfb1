import { dirname } from "node:path";
import { oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import type { Verb } from "../../verb.ts";
import { asideEnding, withoutBlock } from "./block.ts";
import { findHooks, type Hook, withHooks, writeHook } from "./place.ts";

export const uninstall: Verb = {
  name: "uninstall",
  summary: "Take ferry's part out of git's hooks",
  examples: ["ferry hook uninstall"],
  async run(context) {
    // Where there is nothing, the folder need not be one that can be written.
    const isThere = (await findHooks(context)).some((hook) => hook.installed);
    const installed = isThere ? await withHooks(context, (hooks) => takeOutOf(context, hooks)) : [];
    if (context.global.json) await context.print.json(installed.map(({ name, path }) => ({ name, installed: false, path })));
    await context.print.note(
      installed.length === 0 ? "there was nothing of ferry's" : `taken out of ${installed.map(({ name }) => name).join(", ")}`,
    );
  },
};

/** Gives those that had a part of ours. */
async function takeOutOf(context: Context, hooks: readonly Hook[]): Promise<Hook[]> {
  const installed = hooks.filter((hook) => hook.installed);
  for (const hook of installed) await takeOut(context, hook);
  return installed;
}

async function takeOut(context: Context, hook: Hook): Promise<void> {
  const { files } = context.host;
  const { path, holds, text, aside, link } = hook;
  const isAside = (await files.status(aside)) !== undefined;
  if (holds !== "ours") {
    await writeHook(context, hook, withoutBlock(text));
    // It was put there for a hook of ours, in whose place somebody has written another one since.
    if (isAside && !text.includes(asideEnding))
      await context.print.note(`${oneLine(aside)} is from an earlier install, and stays`);
    return;
  }
  if (isAside) await files.rename(aside, path);
  else await files.remove(path);
  await files.remove(link);
  const links = dirname(link);
  if ((await files.list(links)).length === 0) await files.remove(links);
}
