import type { TimelineEvent } from "../../client/timeline/items.ts";
import { eventTypes, type EventType } from "../../wire/values.ts";
import { cut } from "../../base/text.ts";
import { makeStyle } from "./style.ts";
import { layOut, roomOf, sentence, type Block } from "./timeline/block.ts";
import type { Canvas } from "./timeline/canvas.ts";
import { fieldsOf, wordOf } from "./timeline/fields.ts";
import { foldList } from "./timeline/fold.ts";
import { isForeign } from "./timeline/shapes.ts";
import { actorName, agentMessage, answer, messageProgress, question, systemMessage, userMessage } from "./timeline/talk.ts";
import { changed, command, commandResult, did, plan, searched, unknown } from "./timeline/work.ts";

/** Being said and planned are no states of being done. */
const said: ReadonlySet<EventType | undefined> = new Set([
  "agent_message",
  "user_ask_user_response",
  "agent_plan_execution_update",
]);

/** An event as lines for a canvas, `time  glyph  what`; none for a message that says nothing. All that came from the service is harmless in it. */
export function renderEvent(event: TimelineEvent, canvas: Canvas): string[] {
  const block = blockOf(event, canvas);
  return block === undefined ? [] : layOut(withState(block, event, canvas), createdAt(event), canvas);
}

/** The same whatever its state is; undefined where its state is part of what it says. */
export function renderWork(event: TimelineEvent, canvas: Canvas): string[] | undefined {
  return tellsState(event) || said.has(typeOf(event)) ? undefined : blockOf(event, canvas)?.lines.slice();
}

/** What became of something that was shown before, as far as it goes: it isn't told a second time. */
export function renderState(event: TimelineEvent, canvas: Canvas): string[] {
  const [head = ""] = blockOf(event, { ...canvas, style: makeStyle(false), columns: undefined })?.lines ?? [];
  const { status } = event;
  const glyph = status === "canceled" ? "failed" : "note";
  // A word of another service's is told as it is.
  const state = stateOf(status) ?? (status === "completed" ? "done" : wordOf(status) || "done");
  const spans = [{ text: `${state}: ${cut(head, 60)}`, paint: status === "canceled" ? canvas.style.yellow : canvas.style.dim }];
  return layOut({ glyph, paint: canvas.style.dim, lines: sentence(spans, canvas) }, createdAt(event), canvas);
}

function blockOf(event: TimelineEvent, canvas: Canvas): Block | undefined {
  const type = typeOf(event);
  if (type === "agent_message" && fieldsOf(event, type).raw("message").trim() === "") return undefined;
  return type === undefined ? unknown(event, canvas) : describe(event, type, canvas);
}

/** Undefined for what can't be told as the type that it has. */
function typeOf(event: TimelineEvent): EventType | undefined {
  return isKnown(event.type) && !isForeign(event, event.type) ? event.type : undefined;
}

/** Whether its own lines say how far it is. */
function tellsState(event: TimelineEvent): boolean {
  const type = typeOf(event);
  return type === "user_message" || type === "agent_ask_user" || type === "agent_run_repository_command";
}

/** What isn't done yet, or never was, doesn't pass for done. */
function withState(block: Block, event: TimelineEvent, canvas: Canvas): Block {
  const { dim, yellow } = canvas.style;
  if (tellsState(event)) return block;
  if (event.status === "canceled")
    return { ...block, glyph: "failed", paint: yellow, lines: [...block.lines, yellow("canceled")] };
  const state = said.has(typeOf(event)) ? undefined : stateOf(event.status);
  return state === undefined ? block : { ...block, lines: [...block.lines, dim(state)] };
}

function stateOf(status: unknown): "running" | "queued" | undefined {
  return status === "processing" ? "running" : status === "queued" ? "queued" : undefined;
}

/** A changed version of an event that was shown before, further up; no lines where the change says nothing to a reader. */
export function renderUpdate(event: TimelineEvent, canvas: Canvas): string[] {
  if (event.type === "agent_ask_user" && event.status !== "processing") return [];
  // What grows line by line is told again when it is whole.
  if (isGrowing(event)) return [];
  if (isKnown(event.type) && isForeign(event, event.type)) return renderEvent(event, canvas);
  if (event.type === "agent_run_repository_command") return layOut(commandResult(event, canvas), createdAt(event), canvas);
  if (event.type !== "user_message") return renderEvent(event, canvas);
  const block = messageProgress(event, canvas);
  return block === undefined ? [] : layOut(block, createdAt(event), canvas);
}

/** What is told of an event at its first sight where nothing can be drawn over: a running command's output comes when it has ended. */
export function atFirst(event: TimelineEvent): TimelineEvent {
  if (event.type !== "agent_run_repository_command" || !isGrowing(event)) return event;
  const { command } = typeof event.payload === "object" && event.payload !== null ? (event.payload as { command?: unknown }) : {};
  return { ...event, payload: { type: event.type, command } };
}

function isGrowing({ type, status }: TimelineEvent): boolean {
  return status === "processing" && (type === "agent_run_repository_command" || type === "agent_message");
}

function isKnown(type: unknown): type is EventType {
  return (eventTypes as readonly unknown[]).includes(type);
}

function createdAt(event: TimelineEvent): string {
  return wordOf(event.created_at);
}

/** A type that is added to the wire doesn't compile until it has its look here. */
function describe(event: TimelineEvent, type: EventType, canvas: Canvas): Block {
  const { style } = canvas;
  switch (type) {
    case "user_message":
      return userMessage(event, canvas);
    case "agent_message":
      return agentMessage(event, canvas);
    case "system_message":
      return systemMessage(event, canvas);
    case "agent_ask_user":
      return question(event, canvas);
    case "user_ask_user_response":
      return answer(event, canvas);
    case "session_finished":
      return ended("done", `session finished by ${actorName(fieldsOf(event, type).object("actor"))}`, canvas);
    case "session_closed":
      return ended("ended", `session closed by ${actorName(fieldsOf(event, type).object("actor"))}`, canvas);
    case "merge_request_merged":
      return ended("done", `merge request merged by ${actorName(fieldsOf(event, type).object("actor"))}`, canvas);
    case "merge_request_closed":
      return ended(
        "ended",
        `merge request closed without merging by ${actorName(fieldsOf(event, type).object("actor"))}`,
        canvas,
      );

    case "agent_file_tree_browse":
      return did("look", "looked into", fieldsOf(event, type).word("path") || ".", canvas);
    case "agent_file_read":
      return did("look", "read", joined(fieldsOf(event, type).words("paths"), canvas), canvas);
    case "agent_file_read_range": {
      const fields = fieldsOf(event, type);
      return did(
        "look",
        "read",
        `${fields.word("path")}:${fields.number("start_line") ?? ""}-${fields.number("end_line") ?? ""}`,
        canvas,
      );
    }
    case "agent_file_edit":
      return changed("edit", "edited", fieldsOf(event, type).word("file_path"), {
        canvas,
        diff: fieldsOf(event, type).raw("diff"),
      });
    case "agent_file_create":
      return changed("add", "created", fieldsOf(event, type).word("file_path"), {
        canvas,
        diff: fieldsOf(event, type).raw("diff"),
      });
    case "agent_file_remove":
      return changed("remove", "removed", fieldsOf(event, type).word("file_path"), { canvas, diff: "" });
    case "agent_file_move":
      return relocated("moved", event, canvas);
    case "agent_file_copy":
      return relocated("copied", event, canvas);
    case "agent_read_around_match":
    case "agent_search_files":
    case "agent_search_files_v2":
      return searched(fieldsOf(event, type), canvas);

    case "agent_plan_execution_update":
      return plan(event, canvas);
    case "agent_run_repository_command":
      return command(event, canvas);
    case "agent_branch_diff": {
      const fields = fieldsOf(event, type);
      return changed("git", "compared", [fields.word("base"), fields.word("head")].filter(Boolean).join(".."), {
        canvas,
        diff: fields.raw("diff"),
      });
    }
    case "agent_uncommitted_changes": {
      const fields = fieldsOf(event, type);
      return changed("git", "uncommitted:", joined(fields.words("paths"), canvas), { canvas, diff: fields.raw("diff") });
    }
    case "agent_conflict_state":
      return conflicts("conflicts", fieldsOf(event, type).words("paths"), canvas);
    case "agent_check_target_branch_mergeability": {
      const fields = fieldsOf(event, type);
      const target = fields.word("target_branch");
      if (fields.flag("mergeable") === false)
        return conflicts(`can't be merged${target === "" ? "" : ` into ${target}`}`, fields.words("paths"), canvas);
      const verb = fields.flag("mergeable") === true ? "can be merged" : "checked a merge";
      return did("git", target === "" ? verb : `${verb} into`, target, canvas);
    }
    case "agent_merge_remote_branch": {
      const fields = fieldsOf(event, type);
      const paths = fields.words("paths");
      if (paths.length > 0) return conflicts(`conflicts with ${fields.word("branch")}`, paths, canvas);
      return did("git", "merged", atCommit(fields.word("branch"), fields.word("commit")), canvas);
    }
    case "agent_pull_from_remote":
      return did("git", "pulled", atCommit(fieldsOf(event, type).word("branch"), fieldsOf(event, type).word("commit")), canvas);
    case "agent_push_to_remote":
      return did("git", "pushed", atCommit(fieldsOf(event, type).word("branch"), fieldsOf(event, type).word("commit")), canvas);
    case "agent_abort_conflict_resolution":
      return did("git", "gave up", "resolving the conflicts", canvas);
    case "agent_rollback_uncommitted_changes":
      return did("git", "took back", joined(fieldsOf(event, type).words("paths"), canvas) || "what was not committed", canvas);

    case "agent_http_request": {
      const fields = fieldsOf(event, type);
      const status = fields.number("status");
      return did(
        "web",
        fields.word("method") || "asked",
        `${fields.word("url")}${status === undefined ? "" : ` ${status}`}`,
        canvas,
      );
    }
    case "agent_web_browse": {
      const fields = fieldsOf(event, type);
      const query = fields.word("query");
      const page = [fields.word("title"), fields.word("url")].filter((part) => part !== "").join("  ");
      return did("web", query === "" ? "looked at" : "searched the web for", query === "" ? page : query, canvas);
    }
    case "agent_alert_created": {
      const fields = fieldsOf(event, type);
      const severity = fields.word("severity");
      const paint = /^(critical|error|high)$/i.test(severity) ? style.red : style.yellow;
      const text = [fields.word("title"), fields.word("message")].filter((part) => part !== "").join(": ");
      return {
        glyph: "alert",
        paint,
        lines: sentence([{ text: severity === "" ? text : `${severity}: ${text}`, paint }], canvas),
      };
    }
  }
}

function ended(glyph: "done" | "ended", what: string, canvas: Canvas): Block {
  return { glyph, paint: canvas.style.green, lines: sentence([{ text: what, paint: canvas.style.bold }], canvas) };
}

function relocated(verb: "moved" | "copied", event: TimelineEvent, canvas: Canvas): Block {
  const fields = fieldsOf(event, "agent_file_move");
  const what = `${fields.word("source_path")} ${canvas.glyphs.move} ${fields.word("destination_path")}`;
  return changed("move", verb, what, { canvas, diff: fields.raw("diff") });
}

function conflicts(what: string, paths: readonly string[], canvas: Canvas): Block {
  const { red } = canvas.style;
  const where = paths.length === 0 ? "" : `: ${joined(paths, canvas)}`;
  return { glyph: "alert", paint: red, lines: sentence([{ text: `${what}${where}`, paint: red }], canvas) };
}

function joined(paths: readonly string[], canvas: Canvas): string {
  const { shown, note } = foldList(paths, roomOf(canvas));
  return [...shown, ...note].join(", ");
}

function atCommit(branch: string, commit: string): string {
  return commit === "" ? branch : `${branch} (${commit.slice(0, 12)})`;
}
