import { dirname } from "node:path";
import type { Host } from "../../../host/host.ts";
import type { Verb } from "../../verb.ts";
import { withBlock } from "./block.ts";
import { areShared, findHooks, type Hook, requireHooksFolder } from "./place.ts";

export const install: Verb = {
  name: "install",
  summary: "Let git's own hooks pull the linked session's commits",
  description:
    "Let git's own hooks pull the linked session's commits: after a change of branch and after a merge; before a push they only say that there are newer ones. Hooks that are there already go on working.",
  examples: ["ferry hook install", "git config ferry.hookStrict true   # a pull that fails fails the hook"],
  async run(context) {
    await requireHooksFolder(context);
    const hooks = await findHooks(context);
    for (const hook of hooks) {
      await put(context.host, hook);
      await context.print.note(`${hook.name}: ${hook.path}`);
    }
    if (hooks.some(({ text }) => isHusky(text)))
      await context.print.note(
        'husky writes them anew whenever it is set up: let the prepare script of package.json say "husky && ferry hook install || true"',
      );
    if (await areShared(context))
      await context.print.note("core.hooksPath leads out of this repository: they run in each that uses this folder");
    if (context.global.json)
      await context.print.json((await findHooks(context)).map(({ name, path, installed }) => ({ name, installed, path })));
  },
};

/** The scripts that it puts into its folder all go on to one beside them. */
function isHusky(text = ""): boolean {
  return /^\. "\$\(dirname (?:-- )?"\$0"\)\/h"$/mu.test(text);
}

/**
 * Ours comes first and then becomes the other one, in whatever language: what git says on stdin is still all there. What git wouldn't
 * run stays off.
 */
const next = 'if [ -x "$0.before-ferry" ]; then exec "$0.before-ferry" "$@"; fi\n';

async function put({ files }: Host, { name, path, text, takesOurs, aside }: Hook): Promise<void> {
  // With the modes that git would have made it with, others may have to read it (core.sharedRepository).
  await files.makeFolder(dirname(path), 0o777);
  if (takesOurs) {
    await files.write(path, withBlock(text, name), 0o755);
    return;
  }
  await files.rename(path, aside);
  await files.write(path, withBlock(undefined, name) + next, 0o755);
}
