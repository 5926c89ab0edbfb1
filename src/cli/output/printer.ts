import { FerryError } from "../../base/errors.ts";
import { harmless, harmlessJson, oneLine } from "../../base/text.ts";
import { parseCut } from "../../client/http/json.ts";
import { textOf, type SourcedEvent } from "../../client/timeline/items.ts";
import type { Output, Terminal } from "../../host/host.ts";
import { fields } from "../../wire/fields.ts";
import { pick, redact, redactedText } from "./json.ts";
import { onOneLine } from "./json-text.ts";
import { wrapProse } from "./prose.ts";

/** Where what a command says goes: data to stdout, all else to stderr. */
export interface Printer {
  /** Text for stdout, as it is. */
  data(text: string | Uint8Array): Promise<void>;
  /** A resource, or an array of them, as JSON: without secrets, and only the fields asked for. `known` names the fields of its schema. */
  json(value: unknown, known?: readonly string[]): Promise<void>;
  /** The same on a line of its own, for streams; `whole` for what is no resource but says something about one. */
  jsonLine(value: unknown, known?: readonly string[] | "whole"): Promise<void>;
  /**
   * Events on a line each, many at once, which is what a long list needs to be fast: as they came, where nothing is to be picked from
   * them, so that a number keeps its digits.
   */
  events(events: readonly SourcedEvent[]): Promise<void>;
  /** A line for a person; nothing with --quiet. */
  note(line: string): Promise<void>;
  /** A line that a person must see. */
  warn(line: string): Promise<void>;
  /** An address of ours for a person to open, on a line of its own, where terminals make a link of it. */
  address(url: string): Promise<void>;
}

export interface PrinterOptions {
  readonly fields?: readonly string[];
  readonly jq?: string;
  readonly showSecrets: boolean;
  readonly quiet: boolean;
}

export function makePrinter(terminal: Terminal, options: PrinterOptions): Printer {
  const { stdout, stderr } = terminal;
  const said = async (line: string): Promise<void> =>
    stderr.write(`${await wrapProse(await forTerminal(oneLine(line), stderr, terminal), stderr)}\n`);
  const shaped = (value: unknown, known: readonly string[] | "whole" = []): unknown => {
    const shown = options.showSecrets ? value : redact(value);
    return options.fields === undefined || known === "whole" ? shown : pick(shown, options.fields, known);
  };
  const write = async (value: unknown, indented: boolean): Promise<void> => {
    if (options.jq === undefined) return stdout.write(lineOf(value, indented ? 2 : undefined));
    const { applyJq } = await import("./jq.ts");
    const { text, said: notes, failure } = await applyJq(options.jq, value, indented);
    // Its strings come as they are, which a script wants and a terminal can't be given.
    if (text !== "") await stdout.write(stdout.isTTY ? harmless(text) : text);
    for (const line of notes.split("\n").filter(Boolean)) await stderr.write(`${oneLine(line)}\n`);
    if (failure !== undefined) throw failure;
  };
  const lineOfEvent = (source: SourcedEvent): string => {
    const text = options.fields === undefined ? textOf(source) : undefined;
    return text === undefined
      ? lineOf(shaped(asCame(source), fields.event))
      : `${harmlessJson(onOneLine(text, options.showSecrets ? (_, shown) => shown : redactedText))}\n`;
  };
  const writeAll = async (value: unknown): Promise<void> => {
    try {
      await write(value, stdout.isTTY);
    } catch (error) {
      const isForOne = Array.isArray(value) && !/^\s*\.?\[/u.test(options.jq ?? "");
      throw error instanceof FerryError && isForOne ? hinted(error, "a list is one array: .[].id, not .id") : error;
    }
  };
  const writeOne = async (value: unknown): Promise<void> => {
    try {
      await write(value, false);
    } catch (error) {
      throw error instanceof FerryError && /^\s*\.\[\]/u.test(options.jq ?? "")
        ? hinted(error, "each event is an input of its own here: .type, not .[].type")
        : error;
    }
  };
  return {
    data: async (text) => stdout.write(typeof text === "string" ? await forTerminal(text, stdout, terminal) : text),
    json: (value, known) => writeAll(shaped(value, known)),
    jsonLine: (value, known) => writeOne(shaped(value, known)),
    async events(events) {
      const known = fields.event;
      if (options.jq !== undefined) for (const event of events) await writeOne(shaped(asCame(event), known));
      else if (events.length > 0) await stdout.write(events.map(lineOfEvent).join(""));
    },
    note: async (line) => (options.quiet ? undefined : said(line)),
    warn: said,
    address: (url) => stderr.write(`\n  ${oneLine(url)}\n\n`),
  };
}

/** For an expression that was meant for a list where there is none, or the other way round. */
function hinted({ kind, message, cause }: FerryError, hint: string): FerryError {
  return new FerryError(kind, message, { hint, cause });
}

/** Without what we gave it for its way through ferry: an id where it has none, say. */
function asCame(source: SourcedEvent): unknown {
  const text = textOf(source);
  return text === undefined ? source.event : parseCut(text);
}

function lineOf(value: unknown, indent?: number): string {
  return `${harmlessJson(JSON.stringify(value, undefined, indent))}\n`;
}

/** Text as the terminal can show it: one that isn't UTF-8 would show something else in its place, and lose the columns by it. */
export async function forTerminal(text: string, { isTTY }: Output, { unicode }: Pick<Terminal, "unicode">): Promise<string> {
  if (!isTTY || unicode || !/[^\0-\x7e]/u.test(text)) return text;
  const { inAscii } = await import("./timeline/spans.ts");
  return inAscii(text);
}
