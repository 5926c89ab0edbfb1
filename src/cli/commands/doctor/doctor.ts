import { asFerryError, FerryError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { hanging } from "../../output/prose.ts";
import { makeStyle } from "../../output/style.ts";
import type { Verb } from "../../verb.ts";
import type { Check, Finding } from "./check.ts";
import { checks } from "./checks.ts";

type Result = Finding & { readonly name: string };

export const doctor: Verb = {
  name: "doctor",
  summary: "Check what ferry needs here, with the remedy for what is missing",
  examples: ["ferry doctor", "ferry doctor --json | jq '.[] | select(.verdict != \"ok\")'"],
  async run(context) {
    const results = await Promise.all(checks.map((check) => examine(check, context)));
    if (context.global.json) await context.print.json(results.map(asJson), ["name", "verdict", "says", "hint"]);
    else await context.print.data((await Promise.all(results.map((result) => describe(result, context)))).join(""));
    const failed = results.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
    if (failed.length > 0) throw new FerryError("failure", `${count(failed.length, "check")} failed: ${failed.join(", ")}`);
  },
};

async function examine({ name, run }: Check, context: Context): Promise<Result> {
  try {
    return { name, ...(await run(context)) };
  } catch (error) {
    context.host.interrupt.throwIfAborted();
    const { message, hint } = asFerryError(error);
    return { name, verdict: "failed", says: message, hint };
  }
}

function asJson({ name, verdict, says, hint }: Result): object {
  return { name, verdict, says, hint: hint ?? null };
}

const width = Math.max(...checks.map(({ name }) => name.length));

/** A line, where the terminal has room for it; else broken between words, with the remedy on lines of its own. */
async function describe({ name, verdict, says, hint }: Result, { host: { terminal } }: Context): Promise<string> {
  const { isTTY, columns, color } = terminal.stdout;
  const { green, yellow, red, dim } = makeStyle(color);
  const mark = { ok: green("ok     "), warning: yellow("warning"), failed: red("FAILED ") }[verdict];
  const remedy = hint === undefined ? "" : `(${oneLine(hint)})`;
  const said = oneLine(says);
  const start = 9 + width + 2;
  if (!isTTY || start + said.length + 1 + remedy.length <= columns)
    return `${mark}  ${name.padEnd(width)}  ${said}${remedy === "" ? "" : dim(` ${remedy}`)}\n`;
  const indent = columns - start < 28 ? 4 : start;
  const lines = await hanging(`${" ".repeat(9)}${name.padEnd(width)}  ${said}`, columns, indent);
  const below = remedy === "" ? [] : (await hanging(" ".repeat(indent) + remedy, columns, indent)).map((text) => dim(text));
  return [...lines.map((text, at) => (at === 0 ? mark + text.slice(7) : text)), ...below, ""].join("\n");
}
