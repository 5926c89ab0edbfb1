import { oneLine } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";

/** What stands in front of a choice: the mark of the current one, and a blank. */
const marked = 2;

/**
 * Has a person choose one of several. Each is a line of the terminal, whatever its name holds: what is wider is cut,
 * and found by a search all the same, as by what it is called `also`.
 */
export async function choose<T>(
  { prompt, terminal }: Pick<Host, "prompt" | "terminal">,
  question: string,
  choices: readonly { readonly name: string; readonly value: T; readonly also?: string }[],
): Promise<T> {
  const [{ fit, widthOf }, { inAscii }] = await Promise.all([
    import("../output/width.ts"),
    import("../output/timeline/spans.ts"),
  ]);
  const { columns } = terminal.stderr;
  // What is shown for a control may be one itself, byte for byte, where a terminal doesn't read UTF-8.
  const shown = (text: string): string => (terminal.unicode ? text : inAscii(text));
  // Once chosen, it stands behind its question.
  const behind = columns - marked - widthOf(question) - 1;
  return prompt.select(
    question,
    choices.map(({ name, value, also = "" }) => {
      const line = oneLine(name);
      return { name: shown(fit(line, columns - marked)), short: shown(fit(line, behind)), text: `${line} ${also}`, value };
    }),
  );
}
