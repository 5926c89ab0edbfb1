import { asFerryError, FerryError, UnwritableError } from "../../../base/errors.ts";
import { count, oneLine } from "../../../base/text.ts";
import type { Context } from "../../context.ts";
import { hanging } from "../../output/prose.ts";
import { makeStyle } from "../../output/style.ts";
import type { Verb } from "../../verb.ts";
import type { Check, Finding } from "./check.ts";
import { checks } from "./checks.ts";

type Result = Finding & { readonly name: string };

const names = ["name", "verdict", "says", "hint"] as const;

export const doctor: Verb = {
  name: "doctor",
  summary: "Check what ferry needs here, with the remedy for what is missing",
  answer: names,
  examples: ["ferry doctor", "ferry doctor --json | jq '.[] | select(.verdict != \"ok\")'"],
  async run(context) {
    const started = checks.map((check) => examine(check, context));
    const results = context.global.json ? await Promise.all(started) : await tell(started, context);
    if (context.global.json) await context.print.json(results.map(asJson), names);
    const failed = results.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
    if (failed.length > 0) throw new FerryError("failure", `${count(failed.length, "check")} failed: ${failed.join(", ")}`);
  },
};

/** A line as soon as it and those before it are known: what takes long is last, and on a terminal it is said what is waited for. */
async function tell(started: readonly Promise<Result>[], context: Context): Promise<readonly Result[]> {
  const results: Result[] = [];
  // Each is awaited below, in its turn: until then one that was interrupted is nobody's.
  for (const each of started) each.catch(() => undefined);
  for (const [at, each] of started.entries()) {
    const spinner = context.host.terminal.spin(`checking: ${checks[at]?.name ?? ""}`);
    try {
      results.push(await each);
    } finally {
      spinner.stop();
    }
    const result = results[at] as Result;
    // One broken file fails many checks: what is wrong, and the remedy, is told once.
    const first = results.slice(0, at).find((before) => isSame(before, result));
    const told: Result =
      first === undefined ? result : { ...result, says: `for the same reason as ${first.name}`, hint: undefined };
    await context.print.data(await describe(told, context));
  }
  return results;
}

function isSame(one: Result, other: Result): boolean {
  return one.verdict !== "ok" && one.verdict === other.verdict && one.says === other.says && one.hint === other.hint;
}

/** How long a check may take, in ms: longer than the connection to a service that nobody makes. */
const patience = 20_000;

async function examine({ name, run }: Check, context: Context): Promise<Result> {
  const { host } = context;
  const done = new AbortController();
  const late = host.clock.sleep(patience, AbortSignal.any([done.signal, host.interrupt])).then(() => {
    throw new FerryError("unavailable", `not known after ${patience / 1000} s`, { hint: "try again later" });
  });
  try {
    return {
      name,
      ...(await Promise.race([
        run({ ...context, host: { ...host, interrupt: AbortSignal.any([done.signal, host.interrupt]) } }),
        late,
      ])),
    };
  } catch (error) {
    host.interrupt.throwIfAborted();
    const { message, hint } = asFerryError(error);
    // Whose key is in the environment needs no place for one: in CI all may be read-only.
    const isNeeded = !(error instanceof UnwritableError) || (host.env["FERRY_API_KEY"] ?? "") === "";
    return { name, verdict: isNeeded ? "failed" : "warning", says: message, hint };
  } finally {
    // What is late goes on for nobody.
    done.abort();
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
  const mark = { ok: green("ok     "), warning: yellow("warning"), failed: red("FAILED "), skipped: dim("skipped") }[verdict];
  // A remedy that has parentheses of its own stands behind a dash.
  const remedy = hint === undefined ? "" : /[()]/u.test(hint) ? `- ${oneLine(hint)}` : `(${oneLine(hint)})`;
  const said = oneLine(says);
  const start = 9 + width + 2;
  if (!isTTY || start + said.length + 1 + remedy.length <= columns)
    return `${mark}  ${name.padEnd(width)}  ${said}${remedy === "" ? "" : dim(` ${remedy}`)}\n`;
  const indent = columns - start < 28 ? 4 : start;
  const lines = await hanging(`${" ".repeat(9)}${name.padEnd(width)}  ${said}`, columns, indent);
  const below = remedy === "" ? [] : (await hanging(" ".repeat(indent) + remedy, columns, indent)).map((text) => dim(text));
  return [...lines.map((text, at) => (at === 0 ? mark + text.slice(7) : text)), ...below, ""].join("\n");
}
