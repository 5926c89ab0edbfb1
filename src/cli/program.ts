import { Command, CommanderError } from "commander";
import type { Host, Output } from "../host/host.ts";
import { entries } from "./commands/index.ts";
import { checkFolder, type Context, isInteractive, makeContext } from "./context.ts";
import { namingFlags } from "./flags.ts";
import { checkGiven } from "./given.ts";
import { tellingHabit } from "./habits.ts";
import { type CommandNode, named } from "./help/node.ts";
import { addGlobalOptions, type GlobalOptions } from "./options.ts";
import { outlivingReaders } from "./output/closed-pipe.ts";
import { usageError, verbMissing } from "./usage.ts";
import type { Entry, Verb, VerbEntry } from "./verb.ts";

/**
 * Finds the verb that argv names, loads it, and runs it.
 * @throws FerryError usage for arguments that don't fit; else what the verb throws
 */
export async function parse(argv: readonly string[], host: Host): Promise<void> {
  const shown: Shown = {};
  const program = makeProgram(host, shown);
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : unfoldHelp(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.version") return host.terminal.stdout.write(`ferry ${host.version}\n`);
    const { command } = shown;
    if (error.code === "commander.help" && command !== undefined) {
      const { json, fields } = program.opts<GlobalOptions>();
      if (!json && fields === undefined) await host.terminal.stderr.write(`${await helpFor(command, host.terminal.stderr)}\n`);
      throw verbMissing(command);
    }
    if (error.exitCode !== 0) throw await usageError(error, program, isInteractive(host, program.opts<GlobalOptions>()));
    // Commander has the help of the noun, or of all, for a word that it doesn't know.
    const [word] = command?.args ?? [];
    if (command !== undefined && command.commands.length > 0 && word !== undefined && !word.startsWith("-"))
      return parse(command === program ? [word] : [command.name(), word], host);
    if (command !== undefined) await host.terminal.stdout.write(await helpFor(command, host.terminal.stdout));
  }
}

/** The command whose help commander would have shown. */
interface Shown {
  command?: Command;
}

function makeProgram(host: Host, shown: Shown): Command {
  const program = new Command("ferry")
    .version(host.version, "--version")
    .helpOption("-h, --help")
    .helpCommand(false)
    .exitOverride()
    // What it says is said by ourselves.
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined })
    .addHelpText("beforeAll", ({ command }) => {
      shown.command = command;
      return "";
    });
  addGlobalOptions(program);
  program.hook("preAction", async (_, command) => {
    checkGiven(command);
    const { jq } = command.optsWithGlobals<GlobalOptions>();
    if (jq !== undefined) await (await import("./output/jq.ts")).checkExpression(jq, host);
  });
  for (const entry of entries) addEntry(program, entry);
  program.hook("preSubcommand", async (_, command) => {
    const entry = entries.find(({ name }) => name === command.name());
    if (entry !== undefined) await load(entry, command, host);
  });
  return program;
}

/** `ferry help session list` is `ferry session list --help`. */
function unfoldHelp(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

/** Loaded late: no other command needs it. */
async function helpFor(command: Command, output: Output): Promise<string> {
  const { helpText } = await import("./help/print.ts");
  return helpText((program) => nodeOf(command, program), output);
}

function nodeOf(command: Command, program: CommandNode): CommandNode {
  if (command.parent === null) return program;
  return named(nodeOf(command.parent, program).commands, command.name()) ?? program;
}

function addEntry(program: Command, { name, aliases = [] }: Entry): void {
  program.command(name).aliases(aliases).helpCommand(false);
}

async function load(entry: Entry, command: Command, host: Host): Promise<void> {
  const loaded = await entry.load();
  if (!isNoun(loaded)) {
    addVerb(command, loaded, host);
    return;
  }
  for (const { name, aliases = [] } of loaded) command.command(name).aliases(aliases);
  command.hook("preSubcommand", async (_, called) => {
    const verb = loaded.find(({ name }) => name === called.name());
    if (verb !== undefined) addVerb(called, await verb.load(), host);
  });
}

function isNoun(loaded: Verb | readonly VerbEntry[]): loaded is readonly VerbEntry[] {
  return Array.isArray(loaded);
}

function addVerb(command: Command, verb: Verb, host: Host): void {
  verb.define?.(command);
  command.action(async (...given: unknown[]) => {
    // Commander hands over the arguments, then the options, then the command itself.
    const args = given.slice(0, -2);
    const answer = answerOf(verb, command.opts(), args);
    const contextIn = (outside: Host): Context =>
      makeContext(outside, command.optsWithGlobals<GlobalOptions>(), answer ?? verb.schema);
    const run = async (outside: Host): Promise<void> => {
      const context = contextIn(outside);
      await checkFields(context, answer);
      await checkFolder(context);
      try {
        await verb.run(context, command.opts(), ...args);
      } catch (error) {
        throw tellingHabit(namingFlags(error, command), command);
      }
    };
    if (verb.paged !== true || !contextIn(host).interactive)
      return run(verb.outlivesReaders === true ? outlivingReaders(host) : host);
    const { inPager } = await import("./output/pager.ts");
    await inPager(host, run);
  });
}

/** The names in the JSON of what is asked of a verb; undefined where a service may send others. */
function answerOf({ answer }: Verb, options: object, args: readonly unknown[]): readonly string[] | undefined {
  return typeof answer === "function" ? answer(options as never, ...(args as never[])) : answer;
}

/** Before anything is done. @throws FerryError usage for --fields that the answer won't have */
async function checkFields({ global: { fields } }: Context, names: readonly string[] | undefined): Promise<void> {
  if (names !== undefined && fields !== undefined) (await import("./output/json.ts")).pick({}, fields, names);
}
