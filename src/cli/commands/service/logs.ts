import { FerryError } from "../../../base/errors.ts";
import { harmless } from "../../../base/text.ts";
import { logPath } from "../../flows/local/start.ts";
import { wholeNumber } from "../../options.ts";
import type { Verb } from "../../verb.ts";

export const logs: Verb = {
  name: "logs",
  summary: "Show the end of the embedded service's log",
  examples: ["ferry service logs", "ferry service logs --lines 500 | jq 'select(.level == \"error\")'"],
  define: (command) => void command.option("--lines <number>", "how many lines", wholeNumber, 50),
  async run({ host, print }, { lines }: { readonly lines: number }) {
    const path = logPath(host);
    const text = await host.files.readText(path);
    if (text === undefined)
      throw new FerryError("not_found", `there is no log: the embedded service has not run in the background (${path})`);
    await print.data(`${harmless(text.trimEnd().split("\n").slice(-lines).join("\n"))}\n`);
  },
};
