import { type Command, InvalidArgumentError } from "commander";
import type { Shape } from "../../../patch/shape/shape.ts";

/** What makes commits of a session's others than they are in the sandbox. */
export interface ShapeOptions {
  readonly signoff: boolean;
  readonly trailer?: readonly string[];
  readonly resetAuthor: boolean;
}

/** Their names, for options that they don't go with. */
export const shapeOptions = ["signoff", "trailer", "resetAuthor"] as const satisfies readonly (keyof ShapeOptions)[];

export function addShapeOptions(command: Command): void {
  command
    .option("--signoff", "end each message with a Signed-off-by of yours (other ids, as with the next two)", false)
    .option("--trailer <line>", "end each message with this trailer, 'Key: value'; can be given several times", trailer)
    .option("--reset-author", "make yourself the author of the commits, as of now", false);
}

/** Undefined where the commits are to be as they are. */
export function shapeOf({ signoff, trailer: trailers, resetAuthor }: ShapeOptions): Shape | undefined {
  if (!signoff && !resetAuthor && trailers === undefined) return undefined;
  return { signoff, trailers, resetAuthor };
}

/** git-interpret-trailers(1): a key of letters, digits and hyphens, `:` or `=`, and a value, on one line. */
function trailer(line: string, before: readonly string[] = []): string[] {
  if (!/^[A-Za-z0-9-]+[ \t]*[:=]\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(line))
    throw new InvalidArgumentError("Write it as 'Key: value', on one line.");
  return [...before, line];
}
