import { oneLine } from "../../../base/text.ts";
import { showList } from "../../output/show.ts";
import type { Verb } from "../../verb.ts";
import { findHooks, hookFields } from "./place.ts";

export const status: Verb = {
  name: "status",
  summary: "Show which of git's hooks ferry has a part in",
  answer: hookFields,
  examples: ["ferry hook status", "ferry hook status --json"],
  async run(context) {
    const hooks = await findHooks(context);
    for (const { name, aside } of hooks.filter(({ kept }) => kept === "lost"))
      await context.print.note(`git runs no ${name}: it lies in ${oneLine(aside)}; ferry hook uninstall puts it back`);
    const items = hooks.map(({ name, installed, path }) => ({ name, installed, path }));
    const columns = [
      { header: "HOOK", value: ({ name }: (typeof items)[number]) => name },
      { header: "INSTALLED", value: ({ installed }: (typeof items)[number]) => (installed ? "yes" : "no") },
      { header: "FILE", prose: true, value: ({ path }: (typeof items)[number]) => path },
    ];
    await showList(context, { items, more: false }, columns, { known: hookFields, many: "hooks" });
  },
};
