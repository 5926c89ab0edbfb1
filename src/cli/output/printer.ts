import { oneLine } from "../../base/text.ts";
import type { Terminal } from "../../host/host.ts";
import { pick, redact } from "./json.ts";

/** Where what a command says goes: data to stdout, all else to stderr. */
export interface Printer {
  /** Text for stdout, as it is. */
  data(text: string | Uint8Array): Promise<void>;
  /** A resource, or an array of them, as JSON: without secrets, and only the fields asked for. `known` names the fields of its schema. */
  json(value: unknown, known?: readonly string[]): Promise<void>;
  /** The same on a line of its own, for streams; `whole` for what is no resource but says something about one. */
  jsonLine(value: unknown, known?: readonly string[] | "whole"): Promise<void>;
  /** A line for a person; nothing with --quiet. */
  note(line: string): Promise<void>;
  /** A line that a person must see. */
  warn(line: string): Promise<void>;
  /** An address of ours for a person to open, on a line of its own, where terminals make a link of it. */
  address(url: string): Promise<void>;
}

export interface PrinterOptions {
  readonly fields?: readonly string[];
  readonly showSecrets: boolean;
  readonly quiet: boolean;
}

export function makePrinter(terminal: Terminal, options: PrinterOptions): Printer {
  const { stdout, stderr } = terminal;
  const shaped = (value: unknown, known: readonly string[] | "whole" = []): unknown => {
    const shown = options.showSecrets ? value : redact(value);
    return options.fields === undefined || known === "whole" ? shown : pick(shown, options.fields, known);
  };
  return {
    data: (text) => stdout.write(text),
    json: (value, known) => stdout.write(`${JSON.stringify(shaped(value, known), undefined, stdout.isTTY ? 2 : undefined)}\n`),
    jsonLine: (value, known) => stdout.write(`${JSON.stringify(shaped(value, known))}\n`),
    note: async (line) => (options.quiet ? undefined : stderr.write(`${oneLine(line)}\n`)),
    warn: (line) => stderr.write(`${oneLine(line)}\n`),
    address: (url) => stderr.write(`\n  ${oneLine(url)}\n\n`),
  };
}
