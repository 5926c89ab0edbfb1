import { count, cut, harmless, oneLine } from "../../../base/text.ts";
import { isOpen } from "../../../client/outcome.ts";
import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { roomOf, sentence, type Block } from "./block.ts";
import type { Canvas, GlyphName } from "./canvas.ts";
import { diffCounts, parseDiff, renderDiff } from "./diff.ts";
import { fieldsOf, readFields, wordOf, type Fields } from "./fields.ts";
import { foldLines, foldList, folded, mostListed } from "./fold.ts";
import { cutTo, wrap, type Span } from "./spans.ts";

/** So many of a command's last lines of output are shown, and so many hits of a search. */
const outputLines = 10;
const shownMatches = 5;

/** Something that was done, in a sentence; what it was done to stands out. */
export function did(glyph: GlyphName, verb: string, what: string, canvas: Canvas): Block {
  const { style } = canvas;
  return { glyph, paint: style.dim, lines: sentence([{ text: `${verb} `, paint: style.dim }, { text: what }], canvas) };
}

/** A change of a file, with its diff. */
export function changed(
  glyph: GlyphName,
  verb: string,
  what: string,
  { canvas, diff: text }: { canvas: Canvas; diff: string },
): Block {
  const diff = parseDiff(text);
  const spans: Span[] = [{ text: `${verb} ` }, { text: what, paint: canvas.style.bold }, ...diffCounts(diff, canvas)];
  const paint = glyph === "remove" ? canvas.style.red : canvas.style.green;
  return { glyph, paint, lines: sentence(spans, canvas, renderDiff(diff, canvas, roomOf(canvas))) };
}

/** A search with what it found. */
export function searched(fields: Fields<"query" | "path" | "matches">, canvas: Canvas): Block {
  const { style } = canvas;
  const matches = fields.list("matches", "text");
  const where = fields.word("path");
  const spans: Span[] = [
    { text: "searched ", paint: style.dim },
    { text: fields.word("query") },
    { text: where === "" ? "" : ` in ${where}`, paint: style.dim },
    // A service that doesn't tell what was found has not said that it was nothing.
    { text: fields.hasList("matches") ? `: ${count(matches.length, "match", "matches")}` : "", paint: style.dim },
  ];
  const hits = matches
    .slice(0, shownMatches)
    .map(readFields)
    .map((match) => {
      const line = match.number("line");
      return cutTo(`${match.word("path")}${line === undefined ? "" : `:${line}`}  ${match.word("text")}`, roomOf(canvas));
    });
  const rest = matches.length > shownMatches ? [`… ${matches.length - shownMatches} more`] : [];
  return { glyph: "search", paint: style.dim, lines: sentence(spans, canvas, [...hits, ...rest].map(style.dim)) };
}

/** A command with how it ended and the last lines of what it printed. */
export function command(event: TimelineEvent, canvas: Canvas): Block {
  const { style } = canvas;
  const fields = fieldsOf(event, "agent_run_repository_command");
  const end = commandEnd(event, canvas);
  const mark: Span = isOpen(event) ? end : { ...end, text: `${canvas.glyphs[end.glyph]} ${end.text}` };
  return {
    glyph: "run",
    paint: end.glyph === "failed" ? style.red : style.dim,
    lines: [...commandLines(fields.raw("command").trim(), canvas), ...lastLines(fields, canvas), ...sentence([mark], canvas)],
  };
}

/** What is run, as it was written. */
function commandLines(whole: string, canvas: Canvas): string[] {
  const { style } = canvas;
  const room = roomOf(canvas);
  const layOutAll = (text: string): string[] =>
    harmless(text)
      .split("\n")
      .flatMap((line) => wrap([{ text: line.replaceAll("\t", "    "), paint: style.bold }], room));
  if (room === undefined) return layOutAll(whole);
  const { text, left } = folded(whole);
  return foldLines(layOutAll(text), mostListed, { style, width: room, left });
}

/** What became of a command that was shown before. */
export function commandResult(event: TimelineEvent, canvas: Canvas): Block {
  const fields = fieldsOf(event, "agent_run_repository_command");
  const { glyph, paint, text } = commandEnd(event, canvas);
  const what = cut(oneLine(fields.text("command").slice(0, 400)), 60);
  const spans: Span[] = [
    { text, paint },
    { text: `: ${what}`, paint: canvas.style.dim },
  ];
  return { glyph, paint, lines: sentence(spans, canvas, lastLines(fields, canvas)) };
}

function commandEnd(event: TimelineEvent, { style }: Canvas): Span & { readonly glyph: "done" | "failed" | "ended" | "run" } {
  if (isOpen(event)) return { glyph: "run", text: event.status === "queued" ? "queued" : "running", paint: style.dim };
  const fields = fieldsOf(event, "agent_run_repository_command");
  const [code, signal, duration] = [fields.number("exit_code"), fields.word("signal"), fields.number("duration_ms")];
  const canceled = event.status === "canceled";
  const took = duration === undefined ? "" : ` in ${Math.round(duration / 100) / 10} s`;
  const text = `${signal || (canceled ? "canceled" : code !== undefined ? `exit ${code}` : "ended")}${took}`;
  const failed = canceled || signal !== "" || (code !== undefined && code !== 0);
  if (failed) return { glyph: "failed", text, paint: style.red };
  // Whether it went well is not known without its code.
  return code === undefined ? { glyph: "ended", text, paint: style.dim } : { glyph: "done", text, paint: style.green };
}

function lastLines(fields: Fields<"output" | "cut">, canvas: Canvas): string[] {
  const { style } = canvas;
  const room = roomOf(canvas);
  const output = fields.raw("output").trimEnd();
  if (output === "") return [];
  const gone = fields.number("cut") ?? 0;
  // The service's own line where it left something out is none of the command's.
  const lines = output.split("\n").filter((line) => gone === 0 || line !== `[… ${gone} bytes left out …]`);
  const left = lines.length - outputLines;
  const shown = lines
    .slice(-outputLines)
    .map((line) => style.dim(cutTo(harmless(uncoloured(overwritten(line))).replaceAll("\t", "    "), room)));
  const above = [left > 0 ? `${count(left, "line")} above` : "", gone > 0 ? `${sizeOf(gone)} cut` : ""].filter(Boolean);
  return above.length === 0 ? shown : [style.dim(cutTo(`… ${above.join(", ")}`, room)), ...shown];
}

/** Colours, and the emptying of a line's rest (ECMA-48, 8.3.117 and 8.3.41), say nothing once they are made harmless. */
function uncoloured(line: string): string {
  return line.replace(/\u001b\[[\d;:]*[mK]/gu, "");
}

function sizeOf(bytes: number): string {
  return bytes < 1000 ? count(bytes, "byte") : `${Math.round(bytes / 1000)} kB`;
}

/** Of a progress bar, which returns to the start of its line, what stood there last. */
function overwritten(line: string): string {
  let end = line.length;
  while (line.charAt(end - 1) === "\r") end--;
  return end === 0 ? "" : line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** A plan as a checklist. */
export function plan(event: TimelineEvent, canvas: Canvas): Block {
  const { style, glyphs } = canvas;
  const entries = fieldsOf(event, "agent_plan_execution_update").list("entries", "content");
  const done = entries.filter((entry) => entry["status"] === "completed").length;
  const room = roomOf(canvas);
  const { shown, note } = foldList(entries, room);
  const lines = shown.map(readFields).flatMap((entry) => {
    const status = entry.word("status");
    const mark =
      status === "completed"
        ? style.green(glyphs.done)
        : status === "in_progress"
          ? style.yellow(glyphs.now)
          : style.dim(glyphs.todo);
    const paint = status === "completed" ? style.dim : status === "in_progress" ? style.bold : undefined;
    const text = wrap([{ text: entry.word("content"), paint }], room === undefined ? undefined : room - 2);
    return text.map((line, at) => `${at === 0 ? mark : " "} ${line}`);
  });
  const head = sentence([{ text: `plan: ${done} of ${entries.length} done` }], canvas);
  return { glyph: "plan", paint: style.blue, lines: [...head, ...lines, ...note.map(style.dim)] };
}

/** An event of a type that is newer than we are: its name and what it says, as compact as it comes. */
export function unknown(event: TimelineEvent, canvas: Canvas): Block {
  const { style } = canvas;
  const { type: _, ...payload } = readPayload(event);
  const text = Object.keys(payload).length === 0 ? "" : ` ${wordOf(JSON.stringify(payload))}`;
  return {
    glyph: "other",
    paint: style.dim,
    lines: sentence([{ text: wordOf(event.type) || "event" }, { text, paint: style.dim }], canvas),
  };
}

function readPayload({ payload }: TimelineEvent): Readonly<Record<string, unknown>> {
  return typeof payload === "object" && payload !== null ? payload : {};
}
