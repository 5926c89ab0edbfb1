import { afterEach, beforeEach, expect, test } from "vitest";
import type { Send } from "../../../src/host/host.ts";
import { ferry, type FerryResult } from "../../support/ferry.ts";
import { makeWorld, type World } from "../../support/world.ts";

const url = "https://agents.example.com";

// What a service of the seed may send, to the byte: each path has its text.
let world: World;
let texts: Record<string, string>;
const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  texts = { "sessions/s1": '{"id":"s1","status":"active","agent_status":"idle"}' };
  world = makeWorld({ env: { FERRY_HOST: url, FERRY_API_KEY: "key", FERRY_SESSION: "s1" } });
  world.services.set(url, answer);
});
afterEach(() => world.dispose());

const answer: Send = async (request) => {
  const { pathname, search } = new URL(request.url);
  const path = `${pathname}${search}`.replace("/api/v1/", "");
  asked.push(path);
  const text = texts[path];
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text ?? '{"error":"no"}');
  }
  const headers = { "content-type": "application/json" };
  return { status: text === undefined ? 404 : text === "" ? 204 : 200, headers, body: body(), cancel: async () => undefined };
};

const call = (...argv: readonly string[]): Promise<FerryResult> => ferry(world.next(), ...argv);
const onTerminal = (...argv: readonly string[]): Promise<FerryResult> =>
  ferry(world.next({}, { tty: true }), ...argv, "--no-input");

test("--json leaves numbers and names as they came, a line an event, without its secrets", async () => {
  const first = '{"id":"e1","payload":{"a":1.0,"b":12345678901234567890,"2":1e3,"1":-0.10,"token":"x","t\\u006fken":"y"}}';
  const second = '{"id":"e2","payload":{"text":"a: \\"b\\" [ {\\\\","token":["n"],"secret":""}}';
  const shown = `${first.replace('"x"', '"<redacted>"').replace('"y"', '"<redacted>"')}\n${second}\n`;
  texts["sessions/s1/events"] = `[ ${first.replaceAll(/([:,{])/gu, "$1\n ")}\t,\n${second.replace(',"token"', ' , "token" ')} ]`;
  expect((await call("events", "--json")).stdout).toBe(shown);
  expect((await call("events", "--json", "--limit", "1")).stdout).toBe(`${second}\n`);
  expect((await call("tail", "--json", "--until", "idle")).stdout).toBe(shown);
  expect((await call("events", "--json", "--show-secrets", "--limit", "2")).stdout).toBe(`${first}\n${second}\n`);
  expect((await call("events", "--fields", "id")).stdout).toBe('{"id":"e1"}\n{"id":"e2"}\n');
});

test("a timeline in pages is read to its end, in order", async () => {
  const event = (id: string, second: number) => `{"id":"${id}","created_at":"2026-01-01T00:00:0${second}Z","n":1.0}`;
  texts["sessions/s1/events"] = `{"items":"no","next_cursor" : "p/2", "items" : [ ${event("c", 3)}, ${event("a", 1)} ]}`;
  texts["sessions/s1/events?cursor=p%2F2"] =
    `{"next_cursor":"p3","of":{"items":[1]},"items":[${event("b", 2)},${event("a", 1)}]}`;
  texts["sessions/s1/events?cursor=p3"] = `{"items":[],"next_cursor":null}`;
  const all = `${event("a", 1)}\n${event("b", 2)}\n${event("c", 3)}\n`;
  expect(await call("events", "--json")).toMatchObject({ code: 0, stdout: all });
  expect(await call("tail", "--json", "--until", "idle")).toMatchObject({ code: 0, stdout: all });
  texts["sessions/s1/events?cursor=p3"] = `{"it\\u0065ms":[${event("d", 4)}]}`;
  expect((await call("events", "--fields", "id")).stdout).toBe('{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n{"id":"d"}\n');
  texts["sessions/s1/events?cursor=p3"] = `{"items":[],"next_cursor":"p3"}`;
  expect(await call("events")).toMatchObject({
    code: 6,
    stdout: "",
    stderr: expect.stringContaining("the service answered with a list that goes in a circle") as string,
  });
});

test("a message is sent where no answer says more than that, and waited for by the id where one does", async () => {
  texts["sessions/s1/messages"] = "";
  expect(await call("message", "send", "s1", "go on")).toEqual({ code: 0, stdout: "", stderr: "sent\n" });
  expect(await call("message", "send", "s1", "go on", "--json")).toEqual({ code: 0, stdout: "{}\n", stderr: "" });
  texts["sessions/s1/messages"] = '{"id":"m2","status":"processing"}';
  const message = (id: string, status: string) => `{"id":"${id}","type":"user_message","status":"${status}","client_id":null}`;
  texts["sessions/s1/events"] = `[${message("m1", "canceled")},${message("m2", "completed")},${message("m3", "canceled")}]`;
  const { code, stdout } = await call("message", "send", "s1", "go on", "--wait", "--json");
  expect({ code, value: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, value: { outcome: "idle" } });
});

test("an answer says what the option is called", async () => {
  const options = '[{"id":"a","name":"Blue"},{"id":"b","name":"Green","description":"as grass"}]';
  texts["sessions/s1/events"] = `[
    {"id":"q1","type":"agent_ask_user","status":"completed","payload":{"question":"Which?","options":${options}}},
    {"id":"e2","type":"user_ask_user_response","payload":{"reply_to":"q1","option_id":"b","message":"2"}},
    {"id":"e3","type":"user_ask_user_response","payload":{"reply_to":"q1","option_id":"c","message":"3"}},
    {"id":"e4","type":"user_ask_user_response","payload":{"reply_to":"q0","option_id":"b","message":"none"}}]`;
  for (const command of [["events"], ["tail", "--until", "idle"]])
    expect((await call(...command)).stdout).toMatch(/answer: Green\n.*answer: 3\n.*answer: none\n$/u);
  expect((await call("message", "list")).stdout.split("\n").map((line) => line.split("\t").at(-1))).toEqual([
    "Which?",
    "Green",
    "3",
    "none",
    "",
  ]);
  expect((await call("message", "list", "--json", "--jq", ".[1].payload.message")).stdout).toBe("2\n");
});

const odd: readonly unknown[] = [1, 1.5, true, null, [], {}, { toString: 1, valueOf: 1 }, ["a"], "yesterday"];

test.each(odd.map((value) => [value]))("where a text should be, %j is shown, and no fault", async (value) => {
  const session = { id: "s1", ...all(["title", "status", "agent_status", "branch_name", "base_branch", "base_commit"], value) };
  Object.assign(session, all(["head_commit", "model", "created_at", "updated_at", "repository_id", "origin"], value));
  const event = (id: string, type: unknown, payload: unknown) =>
    Object.assign({ id, type, payload }, all(["status", "created_at", "updated_at", "client_id"], value));
  const names = ["message", "question", "options", "command", "output", "exit_code", "diff", "paths", "entries", "actor"];
  const events = [
    event("e0", value, value),
    event("e1", "user_message", value),
    ...["user_message", "agent_message", "agent_ask_user", "user_ask_user_response", "session_finished"].map((type, at) =>
      event(`e${at + 2}`, type, all(names, value)),
    ),
    event("e8", "agent_run_repository_command", all(names, value)),
    event("e9", "agent_file_edit", all(names, value)),
  ];
  texts["sessions/s1"] = JSON.stringify(session);
  texts["sessions"] = JSON.stringify([session, { ...session, id: "s2" }]);
  texts["sessions/s1/events"] = JSON.stringify(events);
  texts["repositories"] = JSON.stringify([{ id: "r1", ...all(["full_name", "clone_url", "enabled"], value) }]);
  for (const command of [
    ["session", "list"],
    ["session", "view"],
    ["session", "view", "-"],
    ["events"],
    ["message", "list"],
    ["repo", "list"],
  ]) {
    expect(await call(...command), command.join(" ")).toMatchObject({ code: 0, stderr: "" });
    expect(await onTerminal(...command), command.join(" ")).toMatchObject({ code: 0 });
  }
});

function all(names: readonly string[], value: unknown): object {
  return Object.fromEntries(names.map((name) => [name, value]));
}
