import { oneLine } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";

/** What stands in front of a choice: the mark of the current one, and a blank. */
const marked = 2;

/** Has a person choose one of several. Each is a line of the terminal, whatever its name holds: what is wider is cut. */
export async function choose<T>(
  { prompt, terminal }: Pick<Host, "prompt" | "terminal">,
  question: string,
  choices: readonly { readonly name: string; readonly value: T }[],
): Promise<T> {
  const { fit } = await import("../output/width.ts");
  const room = terminal.stderr.columns - marked;
  return prompt.select(
    question,
    choices.map(({ name, value }) => ({ name: fit(oneLine(name), room), value })),
  );
}
