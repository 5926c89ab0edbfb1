import { Chalk, type ChalkInstance } from "chalk";

export type Paint = (text: string) => string;

/** What text can look like; each is a plain function of it, the identity where no colour is wanted. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly cyan: Paint;
}

/**
 * The sixteen colours, which are the terminal's own palette, so that they fit its background. Whether there is colour at all was
 * decided by the host; what chalk finds out about the process by itself counts for nothing.
 */
export function makeStyle(color: boolean): Style {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  // Of one text only: chalk joins all that it is given, also the index that map() adds.
  const paint =
    (look: ChalkInstance): Paint =>
    (text) =>
      look(text);
  return {
    bold: paint(chalk.bold),
    dim: paint(chalk.dim),
    italic: paint(chalk.italic),
    strike: paint(chalk.strikethrough),
    red: paint(chalk.red),
    green: paint(chalk.green),
    yellow: paint(chalk.yellow),
    blue: paint(chalk.blue),
    cyan: paint(chalk.cyan),
  };
}
