import { FerryError } from "../../../base/errors.ts";
import { harmless } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { logPath } from "../../flows/local/start.ts";
import { wholeNumber } from "../../options.ts";
import type { Verb } from "../../verb.ts";
import { addData, withData } from "./options.ts";

interface Options {
  readonly lines: number;
  readonly follow?: boolean;
  readonly data?: string;
}

export const logs: Verb = {
  name: "logs",
  summary: "Show the end of the embedded service's log",
  description:
    "Show the end of the embedded service's log: a JSON object a line. Beside them stands what one said that could not start, or was broken off, in plain words.",
  examples: [
    "ferry service logs",
    "ferry service logs --follow",
    "ferry service logs --lines 500 | jq -R 'fromjson?|select(.level==\"error\")'",
  ],
  define: (command) =>
    void addData(command)
      .option("--lines <number>", "how many lines", wholeNumber, 50)
      .option("-f, --follow", "then print what comes, until Ctrl-C"),
  async run(given, { lines, follow = false, data }: Options) {
    const context = withData(given, data);
    const { host, print } = context;
    const path = logPath(host);
    const log = await host.files.read(path);
    if (log === undefined)
      throw new FerryError("not_found", `there is no log: the embedded service has not run in the background (${path})`);
    const end = follow ? wholeLines(log) : log.length;
    const last = text(log.subarray(0, end)).trimEnd().split("\n").slice(-lines);
    await print.data(`${harmless(last.join("\n"))}\n`);
    if (follow) await printWhatComes(context, path, end);
  },
};

/** In ms: how often a log that is followed is looked at. */
const pause = 200;

/** From this place in the log on, whole lines only, until the interrupt. */
async function printWhatComes({ host, print }: Context, path: string, from: number): Promise<never> {
  for (let place = from; ;) {
    await host.clock.sleep(pause, host.interrupt);
    const size = (await host.files.status(path))?.size ?? 0;
    // A service that starts puts a log that has grown large aside.
    if (size < place) place = 0;
    if (size === place) continue;
    const come = ((await host.files.read(path)) ?? new Uint8Array()).subarray(place);
    const end = wholeLines(come);
    if (end > 0) await print.data(harmless(text(come.subarray(0, end))));
    place += end;
  }
}

function text(log: Uint8Array): string {
  return new TextDecoder().decode(log);
}

/** Where the last line that is whole ends. */
function wholeLines(log: Uint8Array): number {
  return log.lastIndexOf(0x0a) + 1;
}
