import type { Jq } from "jq-wasm/inline";
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

/** @throws FerryError usage for an expression that jq can't read, with the place; better before anything is done than after */
export async function checkExpression(expression: string): Promise<void> {
  // Without any input it is read, and nothing of it runs.
  const { exitCode, stderr } = (await load()).raw("", expression, ["--"]);
  if (exitCode !== unreadable) return;
  const [, what = stderr, line = "1", column = "1"] =
    /^jq: error: (.*?)(?: at <top-level>)?, line (\d+), column (\d+)/u.exec(stderr) ?? [];
  throw new FerryError("usage", `--jq: ${what} (line ${line}, column ${column})`, {
    // Of a word alone the shell may have taken a part; who wrote more than that has quoted it.
    hint: /[\s'"|()]/u.test(expression) ? undefined : "quote it for the shell, e.g. --jq '.[].id'",
  });
}

interface JqOptions extends Pick<Host, "compute"> {
  /** For a person to read. */
  readonly indented: boolean;
}

/** Applies the expression to one value, in JSON: what jq only passes on keeps all digits of its numbers. An expression may have no end. */
export async function applyJq(expression: string, json: string, { indented, compute }: JqOptions): Promise<JqOutput> {
  const flags = ["--raw-output", ...(indented ? [] : ["--compact-output"]), "--"];
  const jq = await load();
  const { stdout, stderr, exitCode } = compute(() => jq.raw(json, expression, flags));
  const text = stdout === "" ? "" : `${stdout}\n`;
  if (exitCode === 0) return { text, said: stderr, failure: undefined };
  const said = stderr.replace(/^jq: error \(at [^)]*\):? ?/u, "").trim();
  // jq(1): what `input` ends with where all has been read.
  const why = said === "break" ? "there is no further input: . is all of it" : said;
  return { text, said: "", failure: new FerryError("failure", `--jq: ${why === "" ? `it ended with ${exitCode}` : why}`) };
}

let loaded: Promise<Jq> | undefined;

/** Over a megabyte, so only for those who ask for it, and once. */
function load(): Promise<Jq> {
  loaded ??= import("jq-wasm/inline").then(({ loadJq }) => loadJq());
  return loaded;
}
