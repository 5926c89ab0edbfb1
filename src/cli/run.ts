import { isDebugging } from "../base/debugging.ts";
import { asFerryError, exitCodes, FerryError, ReaderGoneError } from "../base/errors.ts";
import { withoutOwnKeys } from "../base/own-keys.ts";
import { describeFault } from "../base/fault.ts";
import type { Host } from "../host/host.ts";
import { describeFailure, failureAsJson } from "./output/failure.ts";

/** The command line from argv (without node and script) to the exit code; the one place where an error is printed. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  try {
    await execute(argv, host);
    return 0;
  } catch (error) {
    return fail(error, argv, host);
  }
}

/** Tells what ended the command, whatever it is, and gives the exit code. */
export async function fail(error: unknown, argv: readonly string[], host: Host): Promise<number> {
  const { aborted, reason } = host.interrupt as { aborted: boolean; reason: unknown };
  // Whoever reads us has seen enough (`| head`, a quit pager): that is no failure. Ctrl-C, which ends readers as well, is one.
  if (error instanceof ReaderGoneError && !aborted) return 0;
  // What came of it all is told by whoever knows more than that it was interrupted.
  const knowsMore = error instanceof FerryError && reason instanceof FerryError && error.kind === reason.kind;
  const failure = asFailure(aborted && !knowsMore ? reason : error);
  await report(failure, argv, host);
  return exitCodes[failure.kind];
}

async function execute(argv: readonly string[], host: Host): Promise<void> {
  if (argv.length === 1 && argv[0] === "--version") return host.terminal.stdout.write(`ferry ${host.version}\n`);
  // What the scripts of `ferry completion` call; no verb, since it looks at all of them.
  if (argv[0] === "complete") {
    const { printCandidates } = await import("./complete/complete.ts");
    // `--next`: an empty word follows, which PowerShell before 7.3 hands to no program.
    const next = argv[1] === "--next";
    const words = argv.slice(next ? 2 : 1);
    return printCandidates([...words.slice(words[0] === "--" ? 1 : 0), ...(next ? [""] : [])], host);
  }
  if (argv.length === 0 || argv[0] === "help" || argv.at(-1) === "--help" || argv.at(-1) === "-h") {
    const { printHelp } = await import("./help/print.ts");
    if (await printHelp(argv, host)) return;
  }
  const { parse } = await import("./program.ts");
  await parse(argv, host);
}

/** What is neither ours nor the system's (those carry a code) is a fault in the program, and its reader can only report it. */
function asFailure(error: unknown): FerryError {
  if (error instanceof FerryError || !(error instanceof Error) || "code" in error) return asFerryError(error);
  return new FerryError("failure", `ferry has a fault: ${describeFault(error)}`, {
    hint: "please report it with what --verbose shows",
    cause: error,
  });
}

async function report(failure: FerryError, argv: readonly string[], host: Host): Promise<void> {
  const options = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  const json = options.some((option) => /^--(json|fields|jq)(=.*)?$/u.test(option));
  const verbose = options.some((option) => option === "-v" || option === "--verbose") || isDebugging(host.env);
  const { stderr } = host.terminal;
  const text = withoutOwnKeys(json ? failureAsJson(failure) : await describeFailure(failure, verbose));
  const shown = stderr.isTTY ? await readable(text, json, host) : text;
  // With stderr gone as well, full or held up, there is nobody left to tell; the exit code still says it.
  await stderr.write(shown).catch(() => undefined);
}

/** A failure as a terminal can show it; JSON is one line, whoever reads it. */
async function readable(text: string, json: boolean, { terminal }: Host): Promise<string> {
  const [{ forTerminal }, { wrapProse }] = await Promise.all([import("./output/printer.ts"), import("./output/prose.ts")]);
  const shown = await forTerminal(text, terminal.stderr, terminal);
  return json ? shown : wrapProse(shown, terminal.stderr);
}
