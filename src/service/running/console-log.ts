import { cut, oneLine } from "../../base/text.ts";
import type { Clock } from "../../host/host.ts";
import type { Log } from "../log.ts";

/** Lines of libraries in an hour, and the characters of each. An agent makes the SDK of its protocol print a line for each of its own. */
const bounds = { lines: 50, length: 300 };
const hour = 3_600_000;

/** Writes down what libraries print: not all of it, since some print what an agent sends, and a log has no bound. */
export function logConsole(log: Log, clock: Clock): (text: string) => void {
  let lines = 0;
  let begin = clock.elapsed();
  return (text) => {
    if (clock.elapsed() - begin >= hour) [lines, begin] = [0, clock.elapsed()];
    lines += 1;
    if (lines <= bounds.lines) log.info("console", { text: cut(oneLine(text), bounds.length) });
    else if (lines === bounds.lines + 1) log.info("console: more is printed, and not logged for an hour");
  };
}
