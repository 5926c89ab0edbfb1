import { FerryError } from "../../../base/errors.ts";
import { harmless, oneLine } from "../../../base/text.ts";
import { shellWord } from "../../../base/words.ts";
import { cursorOf } from "../../../client/cursor.ts";
import { parseJson, readBody } from "../../../client/http/body.ts";
import { inDoubt } from "../../../client/http/doubt.ts";
import { withoutSecret } from "../../../client/http/trace.ts";
import { kindOf } from "../../../client/http/problem.ts";
import type { Reply } from "../../../client/http/request.ts";
import type { SendResponse } from "../../../host/host.ts";
import type { Context } from "../../context.ts";
import { readNamedFile } from "../../flows/file.ts";
import { connect, type Connection } from "../../flows/host/connect.ts";
import type { Verb } from "../../verb.ts";
import { readFields, withQuery } from "./fields.ts";

interface Options {
  readonly field: readonly string[];
  readonly typedField: readonly string[];
  readonly input?: string;
  readonly include: boolean;
  readonly paginate: boolean;
}

export const api: Verb = {
  name: "api",
  summary: "Make any call to the service, with the stored key",
  description:
    "Make any call to the service, with the stored key. A path without a slash at its start lies below /api/v1. Fields go into the body, with GET into the query.",
  examples: [
    "ferry api GET sessions --paginate",
    "ferry api POST sessions/ses_…/messages -f message='go on'",
    "ferry api PATCH repositories/rep_… -F enabled=false",
  ],
  define(command) {
    const collect = (text: string, before: readonly string[]): string[] => [...before, text];
    command
      .argument("<method>", "GET, POST, PATCH, DELETE …")
      .argument("<path>", "e.g. sessions or /api/v1/sessions")
      .option("-f, --field <name=value>", "a string", collect, [])
      .option("-F, --typed-field <name=value>", "true, false, null, a number, or @file for a file's text", collect, [])
      .option("--input <file>", "the whole body from a file; - is stdin")
      .option("-i, --include", "print status and headers first", false)
      .option("--paginate", "all pages of a list, as one array", false);
  },
  async run(context, options: Options, method: string, path: string) {
    checkInclude(context, options);
    const call = await makeCall(context, options, method.toUpperCase(), path);
    const connection = await connect(context);
    if (options.paginate) {
      const { items, withheld } = await allPages(context, connection, call);
      await context.print.json(items);
      if (withheld !== undefined) throw withheld;
    } else await printAnswer(context, options, call, await send(connection, call));
  },
};

/** @throws FerryError usage where the lines of --include would be lost, or stand before what is to be JSON alone */
function checkInclude({ global }: Context, { include, paginate }: Options): void {
  if (!include) return;
  const other = paginate ? "--paginate" : global.jq !== undefined ? "--jq" : global.fields !== undefined ? "--fields" : "--json";
  if (paginate || global.json) throw new FerryError("usage", `give --include or ${other}, not both`);
}

interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | Uint8Array | undefined;
}

async function makeCall(context: Context, options: Options, method: string, path: string): Promise<ApiCall> {
  if (!/^[A-Z]+$/u.test(method)) throw new FerryError("usage", `"${method}" is no method`, { hint: "ferry api GET sessions" });
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(path))
    throw new FerryError("usage", "the path is an address", {
      hint: "give the path alone, e.g. sessions or /api/v1/sessions, and the host with --host",
    });
  // A URL ends its path at #, and leaves line breaks and blanks at its ends out: the call would be another one than was asked for.
  if (/[#\p{Cc}]|^\s|\s$/u.test(path))
    throw new FerryError("usage", `no path has that in it: "${oneLine(path)}"`, {
      hint: "write # as %23, a line break as %0A and a blank as %20",
    });
  // Git's bash on Windows makes one of files out of what begins with a slash.
  if (/^[a-z]:[/\\]/iu.test(path))
    throw new FerryError("usage", `the path is one of files: ${oneLine(path)}`, {
      hint: "leave out the slash that it begins with",
    });
  const whole = path.startsWith("/") ? path : `/api/v1/${path.replace(/^api\/v1\//u, "")}`;
  if (method === "POST" && whole === "/api/v1/api-keys" && !context.global.showSecrets)
    throw new FerryError("usage", "the new key would be cut and lost", { hint: "add --show-secrets, or: ferry key create" });
  const fields = await readFields(context, options);
  const withFields = Object.keys(fields).length > 0;
  if (options.input !== undefined) {
    if (withFields) throw new FerryError("usage", "give fields or --input, not both");
    return { method, path: whole, body: await readInput(context, options.input) };
  }
  if (method === "GET") return { method, path: withQuery(whole, fields), body: undefined };
  if (options.paginate) throw new FerryError("usage", "--paginate is for GET");
  return { method, path: whole, body: withFields ? JSON.stringify(fields) : undefined };
}

/** Without its query, which may hold a secret. */
function place({ path }: ApiCall): string {
  return path.replace(/[?#].*$/su, "");
}

async function readInput(context: Context, file: string): Promise<Uint8Array> {
  return file === "-" ? context.host.terminal.stdin.read() : readNamedFile(context, file);
}

async function send({ client }: Connection, { method, path, body }: ApiCall): Promise<Reply> {
  return client.raw(method, path, body === undefined ? {} : { body, headers: { "content-type": "application/json" } });
}

/**
 * JSON as everywhere, without secrets; anything else byte for byte, but harmless on a terminal. A status of 400 or more is the
 * exit code, after its body.
 */
async function printAnswer(context: Context, { include }: Options, call: ApiCall, answer: Reply): Promise<void> {
  const { print, host } = context;
  if (include) await print.data(headOf(context, answer));
  if (isJson(answer)) {
    const value = parseJson(await readBody(answer, host.clock), answer, place(call));
    if (value !== undefined) await print.json(value);
  } else for await (const chunk of host.terminal.stdout.isTTY ? harmlessText(answer.body) : answer.body) await print.data(chunk);
  if (answer.status >= 400) throw refused(call, answer);
}

function refused(call: ApiCall, { status, seen }: Reply): FerryError {
  if (seen !== undefined) return inDoubt(new FerryError(kindOf(status), `GET ${oneLine(seen)}: status ${status}`, { status }));
  const path = place(call);
  const [, below = ""] = /^\/+(?!api\/)(.+)$/u.exec(path) ?? [];
  return new FerryError(kindOf(status), `${call.method} ${path}: status ${status}`, {
    status,
    hint: status === 404 && below !== "" ? `without a slash at its start it lies below /api/v1: ${shellWord(below)}` : undefined,
  });
}

/** Status and headers, without secrets and on a terminal harmless, as the body is. */
function headOf({ host, global }: Context, { status, headers }: SendResponse): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${global.showSecrets ? value : withoutSecret(name, value)}`,
  );
  const shown = host.terminal.stdout.isTTY ? lines.map(oneLine) : lines;
  return `HTTP ${status}\n${shown.map((line) => `${line}\n`).join("")}\n`;
}

/** A line break may be cut in two by the chunks that it comes in. */
async function* harmlessText(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    rest = text.endsWith("\r") ? "\r" : "";
    yield harmless(text.slice(0, text.length - rest.length));
  }
  yield harmless(rest + decoder.decode());
}

interface Pages {
  readonly items: unknown[];
  /** Why that isn't all: the service refuses the name by which the next page is asked for. */
  readonly withheld?: FerryError;
}

async function allPages({ host }: Context, connection: Connection, call: ApiCall): Promise<Pages> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  for (let path = call.path; ;) {
    const answer = await send(connection, { ...call, path });
    const body = await readBody(answer, host.clock);
    const value = parseJson(body, answer, place(call));
    const isNext = seen.size > 0;
    if (isNext && (answer.status === 400 || answer.status === 422)) return { items, withheld: unread(connection, call, answer) };
    if (answer.status >= 400) throw refused(call, answer);
    if (Array.isArray(value)) return { items: [...items, ...(value as unknown[])] };
    const page = value as { items?: unknown[] };
    if (!Array.isArray(page.items))
      throw new FerryError("usage", `${place(call)} answers no list`, { hint: "leave --paginate out" });
    for (const item of page.items) items.push(item);
    const cursor = cursorOf(page, () => new TextDecoder().decode(body));
    if (cursor === undefined) return { items };
    if (seen.has(cursor))
      throw new FerryError("unavailable", "the service's list goes in a circle: a page names one that came before");
    seen.add(cursor);
    path = withQuery(call.path, { cursor });
  }
}

function unread({ name }: Connection, call: ApiCall, { status }: Reply): FerryError {
  const what = `this is not all: ${name} refuses \`cursor\`, by which the next page of ${place(call)} is asked for`;
  return new FerryError("failure", `${what} (status ${status})`, {
    status,
    hint: "without --paginate the page tells its next_cursor: give that by the service's own name for it",
  });
}

function isJson({ headers }: SendResponse): boolean {
  return /^application\/(.+\+)?json\b/iu.test(headers["content-type"] ?? "");
}
