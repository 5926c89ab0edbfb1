import type { Command } from "commander";
import type { Context } from "./context.ts";

/** One thing that ferry does: options, and one function. */
export interface Verb {
  readonly name: string;
  /** One line for the list of commands; no full stop. */
  readonly summary: string;
  /** What a reader of its help needs beyond the summary. */
  readonly description?: string;
  readonly examples: readonly string[];
  /** The names in its JSON, by its options and arguments: --fields is completed with them, and with another it is refused before anything is done. */
  readonly answer?: readonly string[] | ((options: never, ...args: never[]) => readonly string[]);
  /** The names in its JSON, of which a service may send more: --fields takes those, too. */
  readonly schema?: readonly string[];
  /** It does more than to print, and does that, with its exit code, also where nobody reads its output any more. */
  readonly outlivesReaders?: true;
  /** What it prints may be long: on a terminal it is read in a pager. */
  readonly paged?: true;
  /** Declares its arguments and options. */
  define?(command: Command): void;
  /** `options` and `args` are what `define` declared. Ends well, or throws a FerryError whose kind is the exit code. */
  run(context: Context, options: object, ...args: unknown[]): Promise<void>;
}

/** A verb among those of its noun. The others aren't loaded when it is called: to list sessions takes nothing of what starts one. */
export interface VerbEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly load: () => Promise<Verb>;
}

/** A top-level command: a verb of its own, or a noun with verbs. Loaded when it is called, or asked for help. */
export interface Entry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The section of the help that it stands in. */
  readonly group: string;
  readonly load: () => Promise<Verb | readonly VerbEntry[]>;
}
