import { FerryError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";

/** What an expression made of a value. */
export interface JqOutput {
  /** Its outputs, a line each, strings as they are; "" where there is none. */
  readonly text: string;
  /** What it said on the way (`debug`, `stderr`). */
  readonly said: string;
  /** Why it stopped, where it did: what was printed before that counts. */
  readonly failure: FerryError | undefined;
}

/** Exit status of the jq program for an expression that it can't read, see jq(1). */
const unreadable = 3;

/**
 * Better before anything is done than after.
 * @throws FerryError usage for an expression that jq can't read, with the place, and for one that wants the environment: there is none in it
 */
export async function checkExpression(expression: string, { jq, interrupt }: Asking): Promise<void> {
  if (readsEnvironment(expression))
    throw new FerryError("usage", "--jq: the environment (env, $ENV) is not for it", {
      hint: "write the value itself, or pipe the output of --json to jq",
    });
  // Without any input it is read, and nothing of it runs.
  const { exitCode, stderr } = await jq({ input: "", expression, flags: ["--"] }, interrupt);
  if (exitCode !== unreadable) return;
  const [, what = stderr, line = "1", column = "1"] =
    /^jq: error: (.*?)(?: at <top-level>)?, line (\d+), column (\d+)/u.exec(stderr) ?? [];
  throw new FerryError("usage", `--jq: ${what} (line ${line}, column ${column})`, {
    // Of a word alone the shell may have taken a part; who wrote more than that has quoted it.
    hint: /[\s'"|()]/u.test(expression) ? undefined : "quote it for the shell, e.g. --jq '.[].id'",
  });
}

/** Texts in it may have the word, and so may keys: `.env`, `{env}`, `{env: 1}`. */
function readsEnvironment(expression: string): boolean {
  const code = expression.replace(/"(?:[^"\\]|\\[^(])*"/gu, '""').replace(/#.*/gu, "");
  return /\$ENV\b/u.test(code) || /(?<![.\w$])env\b(?!\s*:)/u.test(code.replace(/[{,]\s*env\s*(?=[},])/gu, ""));
}

type Asking = Pick<Host, "jq" | "interrupt">;

interface JqOptions extends Asking {
  /** For a person to read. */
  readonly indented: boolean;
}

/**
 * Applies the expression to values in JSON, one after the other: what jq only passes on keeps all digits of its numbers.
 * @throws the reason of what interrupts it: it may have no end
 */
export async function applyJq(expression: string, input: string, { indented, jq, interrupt }: JqOptions): Promise<JqOutput> {
  const flags = ["--raw-output", ...(indented ? [] : ["--compact-output"]), "--"];
  const { stdout, stderr, exitCode, lacks } = await jq({ input, expression, flags }, interrupt);
  if (lacks !== undefined) return { text: "", said: "", failure: new FerryError("usage", `--jq: ${tooMuch[lacks]}`) };
  if (exitCode === 0) return { text: stdout, said: stderr, failure: undefined };
  const said = stderr.replace(/^jq: error \(at [^)]*\):? ?/u, "").trim();
  // jq(1): what `input` ends with where all has been read.
  const why = said === "break" ? "there is no further input: . is all of it" : said;
  return {
    text: stdout,
    said: "",
    failure: new FerryError("failure", `--jq: ${why === "" ? `it ended with ${exitCode}` : why}`),
  };
}

const tooMuch = {
  memory: "the expression needs more memory than jq has here",
  output: "the expression gives more than 32 MiB for one input",
};

/** Whether it makes the same of each value when they are given together: it neither reads on by itself nor ends before the last. */
export function takesOneByOne(expression: string): boolean {
  return !/(?<![.\w$])(?:inputs?|input_line_number|halt|halt_error)\b/u.test(expression);
}
