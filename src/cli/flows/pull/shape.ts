import { type Command, InvalidArgumentError } from "commander";
import type { Shape } from "../../../patch/shape/shape.ts";

/** What makes commits of a session's others than they are in the sandbox. */
export interface ShapeOptions {
  readonly exclude?: readonly string[];
  readonly signoff: boolean;
  readonly trailer?: readonly string[];
  readonly resetAuthor: boolean;
}

/** Their names, for options that they don't go with. */
export const shapeOptions = ["exclude", "signoff", "trailer", "resetAuthor"] as const satisfies readonly (keyof ShapeOptions)[];

export function addShapeOptions(command: Command): void {
  addExclude(command);
  command
    .option("--signoff", "end each message with a Signed-off-by of yours (other ids, as with the next two)", false)
    .option("--trailer <line>", "end each message with this trailer, 'Key: value'; can be given several times", trailer)
    .option("--reset-author", "make yourself the author of the commits, as of now", false);
}

export function addExclude(command: Command): void {
  command.option(
    "--exclude <pathspec>",
    "leave these paths out, as git's pathspec from the top of the repository (approximate); can be given several times",
    pathspec,
  );
}

function pathspec(one: string, before: readonly string[] = []): string[] {
  return [...before, one];
}

/** Undefined where the commits are to be as they are. */
export function shapeOf({ exclude, signoff, trailer: trailers, resetAuthor }: Partial<ShapeOptions>): Shape | undefined {
  const shape = { exclude, signoff, trailers, resetAuthor };
  return Object.values(shape).some((wish) => wish !== undefined && wish !== false) ? shape : undefined;
}

/** git-interpret-trailers(1): a key of letters, digits and hyphens, `:` or `=`, and a value, on one line. */
function trailer(line: string, before: readonly string[] = []): string[] {
  if (!/^[A-Za-z0-9-]+[ \t]*[:=]\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(line))
    throw new InvalidArgumentError("Write it as 'Key: value', on one line.");
  return [...before, line];
}
