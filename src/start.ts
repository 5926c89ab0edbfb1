import { systemReason } from "./base/errors.ts";
import { mayBeTerminal, openDirect } from "./host/direct.ts";
import { columnsOf } from "./host/terminal.ts";
import { knownAnswer } from "./start/known.ts";

/** What the build puts in: the version, a hash of all files, and the words that commands go by, with those of their verbs. */
declare const built: {
  readonly version: string;
  readonly hash: string;
  readonly commands: Readonly<Record<string, readonly string[]>>;
};

/**
 * Runs the built program, and sets its exit code when all is done. Nothing is loaded, read or compiled but what the command needs:
 * the version needs nothing, and help no more than the description of the commands.
 */
export function start(argv: readonly string[]): void {
  const isVersion = argv.length === 1 && argv[0] === "--version";
  const known = isVersion ? `ferry ${built.version}\n` : knownAnswer(argv, __dirname, columns);
  if (known === undefined) void run(argv);
  else tell(known);
}

function columns(): number {
  return columnsOf(mayBeTerminal(1) ? process.stdout : { isTTY: false, columns: 0 });
}

function tell(text: string): void {
  const bytes = Buffer.from(text);
  try {
    const taken = openDirect(1)?.(bytes) ?? 0;
    if (taken < bytes.length) process.stdout.on("error", tellFailure).write(bytes.subarray(taken));
  } catch (error) {
    tellFailure(error as NodeJS.ErrnoException);
  }
}

function tellFailure(error: NodeJS.ErrnoException): void {
  // A reader that is gone has seen enough.
  if (error.code === "EPIPE") return;
  process.stderr.write(`ferry: can't write the output: ${systemReason(error)}\n`);
  process.exitCode = 1;
}

/** The signals behind the exit codes that shells give them. */
const interruptions: Readonly<Record<number, NodeJS.Signals>> = { 130: "SIGINT", 143: "SIGTERM" };

/** How long what an interrupted command has left over may take to end by itself, in ms. */
const grace = 300;

/** The system's own look-up of a name can't be called off, and `process.exit()` waits for it, too: only a signal doesn't. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

async function run(argv: readonly string[]): Promise<void> {
  const [{ makeLoader }, { makeCodeCache }] = await Promise.all([import("./start/loader.ts"), import("./start/code-cache.ts")]);
  const loader = makeLoader({ folder: __dirname, require }, makeCodeCache(built.hash, commandOf(argv)));
  const { main } = loader.load("./main.js") as { readonly main: (argv: readonly string[]) => Promise<number> };
  // Where nothing is left that could go on, Node ends with what stands here: never as if all were done.
  process.exitCode = 1;
  process.once("beforeExit", tellUnfinished);
  process.exitCode = await main(argv);
  process.off("beforeExit", tellUnfinished);
  loader.keep();
  const signal = interruptions[process.exitCode];
  if (signal !== undefined) setTimeout(() => endBy(signal), grace).unref();
}

function tellUnfinished(): void {
  process.stderr.write(
    "ferry: ferry has a fault: it stopped before it was done\n  hint: please report it with what --verbose shows\n",
  );
}

/** The words that decide what is loaded; undefined where they are none of ours. */
function commandOf(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => Object.hasOwn(built.commands, word));
  const [noun, ...rest] = at < 0 ? [] : argv.slice(at);
  if (noun === undefined) return undefined;
  const verb = rest.find((word) => built.commands[noun]?.includes(word));
  return verb === undefined ? noun : `${noun}-${verb}`;
}
