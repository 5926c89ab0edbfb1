import type { Payload } from "../../../wire/event.ts";
import type { Call } from "./call.ts";
import { fieldsOf, listIn, numberIn, textIn } from "./fields.ts";
import { relativePath } from "./paths.ts";
import { inputOf } from "./title.ts";

/** Where a call happens. */
export interface Scene {
  readonly repositoryId: string;
  /** The working folder as the agent sees it. */
  readonly cwd: string;
}

const pathNames = ["file_path", "filePath", "absolute_path", "absolutePath", "path", "target_file", "dir_path"];
const browsers = ["list_directory", "list_files", "list_dir", "ls", "tree"];
const globs = ["glob", "find_files", "file_search"];

/** What a call that only looked at something is in the timeline; undefined for one that isn't told. */
export function inquiryPayload(said: Call, scene: Scene): Payload | undefined {
  const call = { ...said, input: inputOf(said) };
  if (call.kind === "fetch" || call.tool === "google_web_search") return webPayload(call);
  // What couldn't be read, or had nothing to be found in, wasn't.
  if (call.status !== "completed") return undefined;
  // Codex has a command for it, and says that it reads.
  if (browsers.includes(call.tool) || /^List files\b/u.test(call.title)) return browsePayload(call, scene);
  if (call.kind === "read") return readPayload(call, scene);
  return call.kind === "search" ? searchPayload(call, scene) : undefined;
}

function readPayload(call: Call, scene: Scene): Payload | undefined {
  const display = fieldsOf(fieldsOf(fieldsOf(call.rawOutput)["metadata"])["display"]);
  if (display["type"] === "directory") return browsePayload(call, scene);
  const paths = pathsOf(call).map((path) => relativePath(path, scene.cwd));
  const [path] = paths;
  if (path === undefined) return undefined;
  const range = paths.length === 1 ? rangeOf(call) : undefined;
  const repository = { repository_id: scene.repositoryId };
  return range === undefined
    ? { type: "agent_file_read", ...repository, paths }
    : { type: "agent_file_read_range", ...repository, path, start_line: range[0], end_line: range[1] };
}

/** The lines that were asked for, counted from 1; undefined where it was the whole file, or its end isn't known. */
function rangeOf({ input, tool }: Call): [number, number] | undefined {
  const [from, to] = listIn(input, "view_range");
  if (typeof from === "number" && typeof to === "number" && to >= from) return [from, to];
  const end = numberIn(input, "end_line", "endLine");
  const limit = numberIn(input, "limit");
  const start = numberIn(input, "start_line", "startLine") ?? offsetOf(numberIn(input, "offset", "line"), tool);
  if (end !== undefined && end >= start) return [start, end];
  return limit === undefined || limit < 1 ? undefined : [start, start + limit - 1];
}

/** Gemini's and Qwen's `read_file` counts from 0, all others' from 1. */
function offsetOf(offset: number | undefined, tool: string): number {
  if (offset === undefined) return 1;
  return tool === "read_file" ? offset + 1 : Math.max(1, offset);
}

function browsePayload(call: Call, { cwd, repositoryId }: Scene): Payload {
  const [path = cwd] = pathsOf(call);
  return { type: "agent_file_tree_browse", repository_id: repositoryId, path: relativePath(path, cwd) };
}

function searchPayload(call: Call, { cwd, repositoryId }: Scene): Payload {
  const { input } = call;
  const pattern = textIn(input, "pattern", "query", "regex", "search_term");
  const [place] = pathsOf(call);
  const path = place === undefined ? {} : { path: relativePath(place, cwd) };
  const repository = { repository_id: repositoryId };
  if (globs.includes(call.tool) || (pattern === "" && textIn(input, "glob") !== ""))
    return { type: "agent_search_files_v2", ...repository, ...path, glob: pattern || textIn(input, "glob") };
  const query = pattern || call.title;
  const glob = textIn(input, "glob", "include", "file_filter");
  const matches = matchesIn(call.content || call.terminal.output, cwd);
  if (numberIn(input, "-A", "-B", "-C", "context", "before", "after") !== undefined)
    return { type: "agent_read_around_match", ...repository, query, path: ".", ...path, matches };
  if (glob === "" && place === undefined) return { type: "agent_search_files", ...repository, query, matches };
  return { type: "agent_search_files_v2", ...repository, query, ...path, ...(glob !== "" && { glob }), matches };
}

/** As `grep -n` prints them; what looks otherwise is none. */
function matchesIn(content: string, cwd: string) {
  const found = content.matchAll(/^([^\s:][^:\n]*):(\d{1,7}):(.*)$/gmu);
  return [...found].slice(0, 50).map(([, path = "", line, text = ""]) => ({
    path: relativePath(path, cwd),
    line: Number(line),
    text: text.slice(0, 200),
  }));
}

function webPayload(call: Call): Payload {
  const { input, title } = call;
  const address = textIn(input, "url") || (/https?:\/\/[^\s"']+/u.exec(title)?.[0] ?? "");
  const method = textIn(input, "method").toUpperCase();
  if (address !== "" && method !== "" && method !== "GET") {
    const status = numberIn(fieldsOf(call.rawOutput), "status", "statusCode");
    return { type: "agent_http_request", method, url: address, ...(status !== undefined && { status }) };
  }
  if (address !== "") return { type: "agent_web_browse", url: address };
  return { type: "agent_web_browse", query: textIn(input, "query", "q") || title };
}

/** What it was about: named in its input, in several forms, else where it says that it was. */
function pathsOf({ input, locations }: Call): string[] {
  const single = textIn(input, ...pathNames);
  if (single !== "") return [single];
  const several = listIn(input, "paths").filter((path) => typeof path === "string");
  return several.length > 0 ? several : [...locations];
}
