import { readFile, rm, writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { FerryError } from "../base/errors.ts";
import { folded } from "./folded.ts";
import type { Environment, Processes, Prompt } from "./host.ts";

/** With more choices than this a person searches rather than scrolls. */
const scrollable = 10;

/** Questions on stderr, so that stdout stays data; each kind is loaded when it is asked. */
export function makePrompt(env: Environment, processes: Processes, { interrupt, unicode }: Surroundings): Prompt {
  const style = { message: (text: string) => styleText("bold", folded(text)) };
  const marks = { theme: { ...(!unicode && asciiMarks), style } };
  const choice = { theme: { ...marks.theme, ...(!unicode && { icon: { cursor: ">" }, style: { ...style, keysHelpTip } }) } };
  return {
    confirm: (message, preset) =>
      ask(interrupt, async (where) => (await import("@inquirer/confirm")).default({ message, default: preset, ...marks }, where)),
    select: (message, choices) =>
      ask(interrupt, async (where) => {
        if (choices.length <= scrollable)
          return (await import("@inquirer/select")).default({ message, choices, ...choice }, where);
        const matching = (term = "") =>
          choices.filter(({ name, text = name }) => text.toLowerCase().includes(term.toLowerCase()));
        return (await import("@inquirer/search")).default({ message, source: matching, ...choice }, where);
      }),
    text: (message, { preset, signal, until } = {}) =>
      ask(signal === undefined ? interrupt : AbortSignal.any([interrupt, signal]), async (where) => {
        if (until !== undefined) return (await import("./countdown-prompt.ts")).askUntil({ message, until, ...marks }, where);
        return (await import("@inquirer/input")).default(
          { message, ...(preset === undefined ? {} : { default: preset }), ...marks },
          where,
        );
      }),
    hidden: (message) =>
      ask(interrupt, async (where) =>
        (await import("@inquirer/password")).default({ message, mask: false, toggleMask: false, ...marks }, where),
      ),
    edit: (text, suffix) => edit(text, suffix, editorOf(env), processes),
  };
}

interface Surroundings {
  readonly interrupt: AbortSignal;
  /** False in a terminal that can't show more than ASCII. */
  readonly unicode: boolean;
}

/** In the place of the library's own. What it shows for its pointer has a byte in it that is a control to an 8-bit terminal. */
const asciiMarks = { prefix: { idle: "?", done: "+" }, spinner: { interval: 80, frames: ["-", "\\", "|", "/"] } };
const keysHelpTip = (): string => "arrows: move; enter: select";

interface Where {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** @throws FerryError interrupted on Ctrl-C and Ctrl-D, as git and gh end there: 130, which no answer gives */
async function ask<T>(signal: AbortSignal, question: (where: Where) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const gone = new AbortController();
  // Ctrl-D, and a terminal that is gone, close what reads the keys, which pauses stdin: nobody answers then. An answer does so, too,
  // and has been given by the loop's next turn.
  const closed = (): void => void setImmediate(() => gone.abort());
  process.stdin.once("pause", closed);
  try {
    return await question({ output: process.stderr, signal: AbortSignal.any([signal, gone.signal]) });
  } catch (error) {
    signal.throwIfAborted();
    if (gone.signal.aborted || (error instanceof Error && error.name === "ExitPromptError"))
      throw new FerryError("interrupted", "cancelled", { cause: error });
    throw error;
  } finally {
    process.stdin.off("pause", closed);
  }
}

/** git-var(1), GIT_EDITOR: VISUAL before EDITOR, and vi where neither is set. */
function editorOf(env: Environment): string {
  return env["GIT_EDITOR"] || env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
}

async function edit(text: string, suffix: string, editor: string, processes: Processes): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ferry-edit-"));
  const file = join(folder, `text${suffix}`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    // The variable holds a command line (`code --wait`), which the shell takes apart, as git does.
    const argv =
      process.platform === "win32" ? ["cmd", "/c", `${editor} "${file}"`] : ["/bin/sh", "-c", `${editor} "$1"`, "sh", file];
    const code = await processes.attach(argv);
    if (code !== 0)
      throw new FerryError("failure", `the editor ended with exit status ${code}`, { hint: "set VISUAL or EDITOR" });
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
