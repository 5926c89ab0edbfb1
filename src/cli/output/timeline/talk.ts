import { cut, harmless, oneLine } from "../../../base/text.ts";
import type { TimelineEvent } from "../../../client/timeline/items.ts";
import { layOut, roomOf, sentence, type Block } from "./block.ts";
import type { Canvas } from "./canvas.ts";
import { fieldsOf, optionName, wordOf } from "./fields.ts";
import { foldLines, foldList, folded, mostSaid } from "./fold.ts";
import { renderMarkdown } from "./markdown.ts";
import { wrap } from "./spans.ts";

/** What the user wrote, and whether the agent has taken it up. */
export function userMessage(event: TimelineEvent, canvas: Canvas): Block {
  const { style } = canvas;
  const message = plain(fieldsOf(event, "user_message").text("message"), canvas).map(style.bold);
  const state = event.status === "queued" || event.status === "canceled" ? [style.yellow(event.status)] : [];
  return { glyph: "you", paint: style.cyan, lines: [...message, ...state] };
}

/** What became of a message that was shown before; nothing for what the lines that follow tell anyway. */
export function messageProgress(event: TimelineEvent, canvas: Canvas): Block | undefined {
  if (event.status !== "processing" && event.status !== "canceled") return undefined;
  const message = cut(oneLine(fieldsOf(event, "user_message").text("message").slice(0, 400)), 60);
  const what = event.status === "canceled" ? "canceled" : "taken up";
  return {
    glyph: "you",
    paint: canvas.style.cyan,
    lines: sentence([{ text: `${what}: ${message}`, paint: canvas.style.dim }], canvas),
  };
}

/** The agent's words, from Markdown; without a terminal its source. */
export function agentMessage(event: TimelineEvent, canvas: Canvas): Block {
  const lines = renderMarkdown(fieldsOf(event, "agent_message").raw("message"), canvas, roomOf(canvas));
  return { glyph: "agent", paint: canvas.style.blue, lines };
}

/** So many lines of what is being written, and as much of it, are looked at for each further piece. */
const draftLines = 6;
const draftLength = 2_000;

/** The end of a message that is still being written; without a time, since it isn't there yet. */
export function draftMessage(text: string, canvas: Canvas): string[] {
  const { dim, blue } = canvas.style;
  const all = plain(harmless(text.slice(-draftLength)), canvas);
  const isCut = all.length > draftLines || text.length > draftLength;
  const lines = isCut ? ["…", ...all.slice(1 - draftLines)] : all;
  return layOut({ glyph: "agent", paint: blue, lines: lines.map(dim) }, "", canvas);
}

export function systemMessage(event: TimelineEvent, canvas: Canvas): Block {
  const { yellow } = canvas.style;
  return { glyph: "note", paint: yellow, lines: plain(fieldsOf(event, "system_message").text("message"), canvas).map(yellow) };
}

/** A question stands out, and says how to answer while there is no answer yet. */
export function question(event: TimelineEvent, canvas: Canvas): Block {
  const { bold, yellow, dim } = canvas.style;
  const fields = fieldsOf(event, "agent_ask_user");
  const asked = fields.raw("question") || "the agent asks something";
  const options = fields.list("options", "name");
  const room = roomOf(canvas);
  const { shown, note } = foldList(options, room);
  const choices = shown.flatMap((option, at) => {
    const number = `${at + 1}  `;
    const spans = [{ text: `${wordOf(optionName(option))}  ` }, { text: wordOf(option["description"]), paint: dim }];
    return wrap(spans, room === undefined ? undefined : room - number.length).map(
      (line, nth) => `${nth === 0 ? number : " ".repeat(number.length)}${line}`,
    );
  });
  const how = options.length === 0 ? `${canvas.say ?? "ferry say"} TEXT` : numbered(canvas.say);
  const isOpen = event.status === "processing" || event.status === "queued";
  const lines = renderMarkdown(asked, canvas, roomOf(canvas)).map((line) => bold(yellow(line)));
  return {
    glyph: "ask",
    paint: yellow,
    lines: [...lines, ...choices, ...note, ...(isOpen ? sentence([{ text: `answer with: ${how}`, paint: dim }], canvas) : [])],
  };
}

function numbered(say: string | undefined): string {
  return say === undefined ? "ferry say NUMBER, or ferry say TEXT" : `${say} NUMBER, or TEXT in its place`;
}

export function answer(event: TimelineEvent, canvas: Canvas): Block {
  const fields = fieldsOf(event, "user_ask_user_response");
  const said = fields.word("message") || fields.word("option_id");
  return {
    glyph: "you",
    paint: canvas.style.cyan,
    lines: sentence([{ text: `answer: ${said}`, paint: canvas.style.bold }], canvas),
  };
}

/** Who did it, as far as the service says: a name, else an address, else an id. */
export function actorName(actor: Readonly<Record<string, unknown>>): string {
  const name = [actor["first_name"], actor["last_name"]].map(wordOf).filter((part) => part !== "");
  return name.join(" ") || wordOf(actor["email"]) || wordOf(actor["id"]) || "someone";
}

/** Text that is no Markdown, line by line as it was written. */
function plain(text: string, canvas: Canvas): string[] {
  const room = roomOf(canvas);
  const layOutAll = (shown: string): string[] =>
    shown
      .trimEnd()
      .split("\n")
      .flatMap((line) => wrap([{ text: line.replaceAll("\t", "    ") }], room));
  if (room === undefined) return layOutAll(text);
  const { text: shown, left } = folded(text);
  return foldLines(layOutAll(shown), mostSaid, { style: canvas.style, width: room, left });
}
