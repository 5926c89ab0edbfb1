import type { Host } from "../../../host/host.ts";
import type { Verb } from "../../verb.ts";
import { withoutBlock } from "./block.ts";
import { findHooks, type Hook } from "./place.ts";

export const uninstall: Verb = {
  name: "uninstall",
  summary: "Take ferry's part out of git's hooks",
  examples: ["ferry hook uninstall"],
  async run(context) {
    const installed = (await findHooks(context)).filter((hook) => hook.installed);
    for (const hook of installed) await takeOut(context.host, hook);
    if (context.global.json) await context.print.json(installed.map(({ name, path }) => ({ name, installed: false, path })));
    await context.print.note(
      installed.length === 0 ? "there was nothing of ferry's" : `taken out of ${installed.map(({ name }) => name).join(", ")}`,
    );
  },
};

async function takeOut({ files }: Host, { path, text = "", aside }: Hook): Promise<void> {
  if ((await files.status(aside)) !== undefined) {
    await files.rename(aside, path);
    return;
  }
  const script = withoutBlock(text);
  if (script === "") await files.remove(path);
  else await files.write(path, script, 0o755);
}
