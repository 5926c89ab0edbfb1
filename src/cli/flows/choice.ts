import { oneLine } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";

/** What stands in front of a choice: the mark of the current one, and a blank. */
const marked = 2;

/** One of several: its name is what a search looks at, beside what it is called `also`. */
interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly also?: string;
}

/**
 * Has a person choose one of several. Each is a line of the terminal, whatever its name holds: what is wider is cut, and found by a
 * search all the same. `linesIn` gives the lines of all in so many columns, where names alone are no good ones.
 */
export async function choose<T>(
  { prompt, terminal }: Pick<Host, "prompt" | "terminal">,
  question: string,
  choices: readonly Choice<T>[],
  linesIn?: (width: number) => Promise<string[]>,
): Promise<T> {
  const [{ fit, widthOf }, { inAscii }] = await Promise.all([
    import("../output/width.ts"),
    import("../output/timeline/spans.ts"),
  ]);
  const { columns } = terminal.stderr;
  // What is shown for a control may be one itself, byte for byte, where a terminal doesn't read UTF-8.
  const shown = (text: string): string => (terminal.unicode ? text : inAscii(text));
  const inRoom = linesIn ?? (async (width: number) => choices.map(({ name }) => fit(oneLine(name), width)));
  const lines = await inRoom(columns - marked);
  // Once chosen, it stands behind its question.
  const behind = await inRoom(columns - marked - widthOf(question) - 1);
  return prompt.select(
    question,
    choices.map(({ name, value, also = "" }, at) => ({
      name: shown(lines[at] ?? ""),
      short: shown(behind[at] ?? ""),
      text: `${oneLine(name)} ${also}`,
      value,
    })),
  );
}
