/** A command as its help tells it and as completion walks through it: plain data, for which no parser is loaded. */
export interface CommandNode {
  /** The word for it; `ferry` for the program. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** The section of its parent's help that it stands in. */
  readonly group: string;
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly arguments: readonly ArgumentNode[];
  /** Its own; the program's are everybody's. */
  readonly options: readonly OptionNode[];
  /** The names in its JSON, as it is without options; none where it prints none, or what a service likes. */
  readonly fields?: readonly string[];
  /** The same with an option, or a first argument, that makes them others. */
  readonly otherFields?: readonly { readonly given: string; readonly fields: readonly string[] }[];
  readonly commands: readonly CommandNode[];
  /** What else there is to know of it: a code and what it says. */
  readonly codes: readonly (readonly [code: string, meaning: string])[];
  /** The paragraphs that its help ends with. */
  readonly closing: readonly string[];
}

export interface ArgumentNode {
  readonly name: string;
  /** As it stands in the usage, e.g. `[session]`. */
  readonly term: string;
  readonly about: string;
  readonly variadic: boolean;
  readonly choices?: readonly string[];
}

export interface OptionNode {
  /** As the help shows it, e.g. `-F, --file <file>`. */
  readonly term: string;
  readonly long?: string;
  readonly short?: string;
  /** The name of its value in the program. */
  readonly attribute: string;
  readonly about: string;
  /** Whether a value must follow. */
  readonly takesValue: boolean;
  readonly choices?: readonly string[];
}

/** The one of that name or alias. */
export function named<T extends Pick<CommandNode, "name" | "aliases">>(nodes: readonly T[], word: string): T | undefined {
  return nodes.find(({ name, aliases }) => name === word || aliases.includes(word));
}
