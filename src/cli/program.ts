import { Command, CommanderError } from "commander";
import { exitCodes } from "../base/errors.ts";
import type { Host } from "../host/host.ts";
import { entries } from "./commands/index.ts";
import { checkFolder, type Context, makeContext } from "./context.ts";
import { describeOption } from "./describe.ts";
import { addGlobalOptions, type GlobalOptions } from "./options.ts";
import { outlivingReaders } from "./output/closed-pipe.ts";
import { usageError, verbMissing } from "./usage.ts";
import type { Entry, Verb } from "./verb.ts";

/**
 * Finds the verb that argv names, loads it, and runs it.
 * @throws FerryError usage for arguments that don't fit; else what the verb throws
 */
export async function parse(argv: readonly string[], host: Host): Promise<void> {
  if (argv[0] === "help" && argv.length === 2) {
    const { describeTopic } = await import("./topics.ts");
    const topic = describeTopic(argv[1]);
    if (topic !== undefined) return host.terminal.stdout.write(topic);
  }
  const help: Help = { text: [] };
  const program = makeProgram(host, help);
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : unfoldHelp(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { command } = help;
    if (error.code === "commander.help" && command !== undefined) {
      const { json, fields } = program.opts<GlobalOptions>();
      if (!json && fields === undefined) await host.terminal.stderr.write(`${help.text.join("")}\n`);
      throw verbMissing(command);
    }
    if (error.exitCode !== 0) throw await usageError(error, program);
    // Commander has the help of the noun, or of all, for a word that it doesn't know.
    const [word] = command?.args ?? [];
    if (command !== undefined && command.commands.length > 0 && word !== undefined && !word.startsWith("-"))
      return parse(command === program ? [word] : [command.name(), word], host);
  }
  await host.terminal.stdout.write(help.text.join(""));
}

/** A help that was shown, and of which command it is. */
interface Help {
  readonly text: string[];
  command?: Command;
}

function makeProgram(host: Host, help: Help): Command {
  const program = new Command("ferry")
    .description("Your coding agent's companion in the terminal: start it, watch it work, bring its commits home.")
    .usage("<command> [options]")
    .version(`ferry ${host.version}`, "--version", "show the version")
    .helpOption("-h, --help", "show what a command does and takes")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void help.text.push(text),
      writeErr: (text) => void help.text.push(text),
      outputError: () => undefined,
      getOutHelpWidth: () => host.terminal.stdout.columns,
      getErrHelpWidth: () => host.terminal.stderr.columns,
    })
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20, optionDescription: describeOption })
    .addHelpText("beforeAll", ({ command }) => {
      help.command = command;
      return "";
    })
    .addHelpText("after", closing);
  addGlobalOptions(program);
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

function addEntry(program: Command, { name, aliases = [], summary, group }: Entry): void {
  program.command(name).aliases(aliases).summary(summary).description(`${summary}.`).helpGroup(group);
}

async function load(entry: Entry, command: Command, host: Host): Promise<void> {
  const loaded = await entry.load();
  if (!isNoun(loaded)) {
    addVerb(command, loaded, host);
    return;
  }
  for (const verb of loaded) addVerb(command.command(verb.name).aliases(verb.aliases ?? []), verb, host);
}

function isNoun(loaded: Verb | readonly Verb[]): loaded is readonly Verb[] {
  return Array.isArray(loaded);
}

function addVerb(command: Command, verb: Verb, host: Host): void {
  command.summary(verb.summary).description(verb.description ?? `${verb.summary}.`);
  verb.define?.(command);
  command.addHelpText("after", `\nExamples:\n${verb.examples.map((example) => `  ${example}\n`).join("")}`);
  command.action(async (...given: unknown[]) => {
    const contextIn = (outside: Host): Context => makeContext(outside, command.optsWithGlobals<GlobalOptions>());
    const run = async (outside: Host): Promise<void> => {
      const context = contextIn(outside);
      await checkFolder(context);
      // Commander hands over the arguments, then the options, then the command itself.
      await verb.run(context, command.opts(), ...given.slice(0, -2));
    };
    if (verb.paged !== true || !contextIn(host).interactive)
      return run(verb.outlivesReaders === true ? outlivingReaders(host) : host);
    const { inPager } = await import("./output/pager.ts");
    await inPager(host, run);
  });
}

const closing = `
Examples:
  ferry run "fix the failing test"   a session from here; its commits come home
  ferry tail                         watch the session of this branch
  ferry pull                         bring its commits into the working copy

Exit codes:
  ${exitCodes.failure} it failed           ${exitCodes.attention} a person is needed   ${exitCodes.not_found} no such thing   ${exitCodes.pending} still working
  ${exitCodes.usage} wrong arguments     ${exitCodes.auth} not logged in        ${exitCodes.unavailable} unreachable     ${exitCodes.interrupted} Ctrl-C

More help: ferry help COMMAND, ferry help environment, ferry help exit-codes

A session is named by its id or the start of it, a branch, its address in the
portal, or - for the newest; left out, it is the one that the branch is linked to.
`;
