import { FerryError } from "../../base/errors.ts";
import { harmless, harmlessJson, oneLine, wellFormedJson } from "../../base/text.ts";
import { cutText } from "../../client/http/json.ts";
import { textOf, type SourcedEvent } from "../../client/timeline/items.ts";
import type { Host, Output, Terminal } from "../../host/host.ts";
import { fields } from "../../wire/fields.ts";
import type { JqOutput } from "./jq.ts";
import { pick, redact, redactedText } from "./json.ts";
import { membersOf, onOneLine } from "./json-text.ts";
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
  /** The names that the command's JSON may have: where what is printed has none of them, it is null in what is picked. */
  readonly documented?: readonly string[];
  readonly jq?: string;
  readonly showSecrets: boolean;
  readonly quiet: boolean;
}

interface JqWriting {
  readonly indented: boolean;
  readonly hint: string | undefined;
}

/** Maybe one that a number of ours doesn't hold: 2^53 has 16 digits. */
const longNumber = /\d{16}/u;

export function makePrinter(
  { terminal, jq, interrupt }: Pick<Host, "terminal" | "jq" | "interrupt">,
  options: PrinterOptions,
): Printer {
  const { stdout, stderr } = terminal;
  const said = async (line: string): Promise<void> =>
    stderr.write(`${await wrapProse(await forTerminal(oneLine(line), stderr, terminal), stderr)}\n`);
  const shaped = (value: unknown, known: readonly string[] | "whole" = []): unknown => {
    const shown = options.showSecrets ? value : redact(value);
    if (options.fields === undefined || known === "whole") return shown;
    return pick(shown, options.fields, [...known, ...(options.documented ?? [])]);
  };
  /** A hint is for an expression that fails; that what it gave can't be written is no fault of it. */
  const writeJq = async (expression: string, json: string, { indented, hint }: JqWriting): Promise<void> => {
    const { applyJq } = await import("./jq.ts");
    const output = await applyJq(expression, wellFormedJson(json), { indented, jq, interrupt });
    await tell(output);
    if (output.failure !== undefined) throw hint === undefined ? output.failure : hinted(output.failure, hint);
  };
  const tell = async ({ text, said: notes }: JqOutput): Promise<void> => {
    // Its strings come as they are, which a script wants and a terminal can't be given.
    if (text !== "") await stdout.write(stdout.isTTY ? harmless(text) : text);
    for (const line of notes.split("\n").filter(Boolean)) await stderr.write(`${oneLine(line)}\n`);
  };
  /** jq takes a millisecond to start, with each event for itself: so they are given to it together, and by itself only where one fails. */
  const writeEventsJq = async (expression: string, events: readonly SourcedEvent[]): Promise<void> => {
    const { applyJq, takesOneByOne } = await import("./jq.ts");
    const most = takesOneByOne(expression) ? mostTogether : 0;
    for (const texts of together(events, jsonOfEvent, most)) {
      const output =
        texts.length > 1 ? await applyJq(expression, texts.join("\n"), { indented: false, jq, interrupt }) : undefined;
      // It fails for the last of them alone, and of another it only says so.
      if (output?.failure === undefined && output?.said === "") await tell(output);
      else
        for (const json of texts) {
          await writeOne(json);
          interrupt.throwIfAborted();
        }
      // There may be many more of them.
      interrupt.throwIfAborted();
    }
  };
  const jsonOfEvent = (source: SourcedEvent): string => {
    const text = textOf(source);
    if (text === undefined) return wellFormedJson(JSON.stringify(shaped(source.event, fields.event)));
    // What walks a value does so on the stack; text alone is walked without.
    const whole = options.fields === undefined && options.jq === undefined ? text : cutText(text);
    const json = options.fields === undefined ? whole : pickedFrom(whole, options.fields);
    return onOneLine(wellFormedJson(json), options.showSecrets ? (_, shown) => shown : redactedText);
  };
  const pickedFrom = (text: string, names: readonly string[]): string => {
    const picked = shaped(JSON.parse(text), fields.event) as Readonly<Record<string, unknown>>;
    if (!longNumber.test(text)) return JSON.stringify(picked);
    const members = membersOf(text);
    return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name) ?? JSON.stringify(picked[name])}`).join(",")}}`;
  };
  const writeAll = async (value: unknown): Promise<void> => {
    const indented = stdout.isTTY;
    if (options.jq === undefined) return stdout.write(lineOf(value, indented ? 2 : undefined));
    const isForOne = Array.isArray(value) && !/^\s*\.?\[/u.test(options.jq);
    const hint = isForOne ? "a list is one array: .[].id, not .id" : undefined;
    await writeJq(options.jq, JSON.stringify(value), { indented, hint });
  };
  const writeOne = async (json: string): Promise<void> => {
    if (options.jq === undefined) return stdout.write(`${harmlessJson(wellFormedJson(json))}\n`);
    const isForAll = /^\s*\.\[\]/u.test(options.jq);
    const hint = isForAll ? "each event is an input of its own here: .type, not .[].type" : undefined;
    await writeJq(options.jq, json, { indented: false, hint });
  };
  return {
    data: async (text) => stdout.write(typeof text === "string" ? await forTerminal(text, stdout, terminal) : text),
    json: (value, known) => writeAll(shaped(value, known)),
    jsonLine: (value, known) => writeOne(JSON.stringify(shaped(value, known))),
    async events(events) {
      if (options.jq !== undefined) await writeEventsJq(options.jq, events);
      else if (events.length > 0) await stdout.write(events.map((event) => `${harmlessJson(jsonOfEvent(event))}\n`).join(""));
    },
    note: async (line) => (options.quiet ? undefined : said(line)),
    warn: said,
    address: (url) => stderr.write(`\n  ${oneLine(url)}\n\n`),
  };
}

/** In characters: so much is soon done. */
const mostTogether = 1 << 18;

/** The texts of events, in lists of no more than `most` characters, or of one. */
function* together(events: readonly SourcedEvent[], textOf: (event: SourcedEvent) => string, most: number): Generator<string[]> {
  let [texts, size]: [string[], number] = [[], 0];
  for (const event of events) {
    const text = textOf(event);
    if (texts.length > 0 && size + text.length > most) {
      yield texts;
      [texts, size] = [[], 0];
    }
    texts.push(text);
    size += text.length;
  }
  if (texts.length > 0) yield texts;
}

/** For an expression that was meant for a list where there is none, or the other way round. */
function hinted({ kind, message, cause }: FerryError, hint: string): FerryError {
  return new FerryError(kind, message, { hint, cause });
}

function lineOf(value: unknown, indent?: number): string {
  return `${harmlessJson(wellFormedJson(JSON.stringify(value, undefined, indent)))}\n`;
}

/** Text as the terminal can show it: one that isn't UTF-8 would show something else in its place, and lose the columns by it. */
export async function forTerminal(text: string, { isTTY }: Output, { unicode }: Pick<Terminal, "unicode">): Promise<string> {
  if (!isTTY || unicode || !/[^\0-\x7e]/u.test(text)) return text;
  const { inAscii } = await import("./timeline/spans.ts");
  return inAscii(text);
}
