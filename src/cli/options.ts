import { type Command, InvalidArgumentError, Option } from "commander";
import { FerryError } from "../base/errors.ts";
import { parseDuration } from "../base/time.ts";

/** What every command takes. */
export interface GlobalOptions {
  readonly host?: string;
  readonly json: boolean;
  readonly fields?: readonly string[];
  readonly jq?: string;
  readonly showSecrets: boolean;
  /** The folder to work in, as given. */
  readonly C?: string;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** False after --no-input. */
  readonly input: boolean;
  readonly color: "auto" | "always" | "never";
  readonly yes: boolean;
}

export function addGlobalOptions(program: Command): void {
  program
    .option("--host <host>", "the service: a name, an address, or local")
    .option("--json", "print the service's own JSON", false)
    .option("--fields <names>", "only these fields, separated by commas (implies --json)", list)
    .addOption(new Option("--jq <expression>", "what jq makes of the JSON (implies --json)").implies({ json: true }))
    .option("--show-secrets", "don't replace secrets in JSON", false)
    .option("-C <dir>", "work in this folder")
    .option("-q, --quiet", "only data and errors", false)
    .option("-v, --verbose", "trace each request on stderr, secrets cut", false)
    .option("--no-input", "never ask anything")
    .addOption(new Option("--color <when>", "colour").choices(["auto", "always", "never"]).default("auto"))
    .option("-y, --yes", "don't ask before destroying something", false);
}

/** An argument parser for counts. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1 || text.trim() === "")
    throw new InvalidArgumentError("It is no whole number above 0.");
  return number;
}

/** An argument parser for durations: milliseconds. */
export function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof FerryError)) throw error;
    const { hint = "" } = error;
    throw new InvalidArgumentError(`${hint.slice(0, 1).toUpperCase()}${hint.slice(1)}.`);
  }
}

/** An option's parser for lists: `a,b` and repeated flags. One that names nothing leaves an empty item, which `checkGiven` finds. */
export function list(text: string, before: readonly string[] = []): string[] {
  const items = text.split(",").flatMap((item) => item.trim() || []);
  return [...before, ...(items.length === 0 ? [""] : items)];
}
