import { once } from "node:events";
import { connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FerryError } from "../../../src/base/errors.ts";
import { linesOf } from "../../../src/service/agent/tools/lines.ts";
import { speakMcp } from "../../../src/service/agent/tools/protocol.ts";
import { serveTools } from "../../../src/service/agent/tools/serve-tools.ts";
import type { ToolBox } from "../../../src/service/agent/tools/tool-box.ts";
import { checkArguments } from "../../../src/service/session/tools/arguments.ts";
import { Desk } from "../../../src/service/session/tools/desk.ts";
import { makeFolder } from "../../support/git.ts";

const inputSchema = { type: "object", properties: {}, additionalProperties: false } as const;
const box: ToolBox = {
  tools: [{ name: "echo", description: "Says it again.", inputSchema }],
  call: (name, args) => Promise.resolve({ text: `${name} ${JSON.stringify(args)}`, failed: false }),
};

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

/** What is answered to the lines. */
async function answers(...lines: readonly (string | object)[]): Promise<unknown[]> {
  const said: unknown[] = [];
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  for await (const line of speakMcp(each(text), box, "1.2.3")) said.push(JSON.parse(line));
  return said;
}

test("an agent says hello, sees the tools and calls one", async () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  expect(
    await answers(
      { jsonrpc: "2.0", id: 0, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: "a", method: "ping" },
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "echo", arguments: { a: 1 } } },
    ),
  ).toEqual([
    {
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "ferry", version: "1.2.3" },
        instructions: expect.any(String) as string,
      },
    },
    { jsonrpc: "2.0", id: "a", result: {} },
    { jsonrpc: "2.0", id: 1, result: { tools: box.tools } },
    { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: 'echo {"a":1}' }], isError: false } },
  ]);
});

test("another version of the protocol is answered with one that is spoken here", async () => {
  const [answer] = await answers({ id: 1, method: "initialize", params: { protocolVersion: "1999-01-01" } });
  expect(answer).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
});

test.each([
  ["{", -32700],
  ["[]", -32600],
  ["null", -32600],
  ['{"id":{},"method":"ping"}', -32600],
  ['{"id":1,"method":"resources/list"}', -32601],
  ['{"id":1,"method":"tools/call"}', -32602],
  ['{"id":1,"method":"tools/call","params":{"name":"__proto__"}}', -32602],
])("%s is refused", async (line, code) => {
  expect(await answers(line)).toMatchObject([{ error: { code } }]);
});

test("lines are the same however they come, and a long one is never held", async () => {
  const property = fc.asyncProperty(fc.array(fc.stringMatching(/^[^\n]{0,9}$/u)), fc.array(fc.nat(12)), async (lines, cuts) => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const chunks: Uint8Array[] = [];
    let at = 0;
    for (const size of [...cuts, bytes.length]) chunks.push(bytes.subarray(at, (at += size)));
    const read: string[] = [];
    for await (const line of linesOf(each(chunks), 100)) read.push(line);
    expect(read).toEqual(lines);
  });
  await fc.assert(property, { numRuns: 50 });
  const endless = linesOf(each([Buffer.from("ok\n"), Buffer.alloc(60, "x"), Buffer.alloc(60, "x")]), 100);
  expect(await endless.next()).toEqual({ done: false, value: "ok" });
  await expect(endless.next()).rejects.toThrow("a line of more than 100 bytes");
});

test("arguments are what the schema says, or refused", () => {
  const schema = {
    type: "object",
    properties: { branch: { type: "string" }, paths: { type: "array" } },
    required: ["branch"],
    additionalProperties: false,
  } as const;
  expect(checkArguments({ branch: "main", paths: ["a"] }, schema).texts("paths")).toEqual(["a"]);
  const bad: unknown[] = [null, [], "main", {}, { branch: 1 }, { branch: "" }, { branch: "a\0b" }, { branch: "x".repeat(1001) }];
  const lists = [{}, [], [1], "a", [""], Array.from({ length: 1001 }, () => "a")].map((paths) => ({ branch: "main", paths }));
  const names = [{ branch: "main", force: "yes" }, JSON.parse('{"branch":"main","__proto__":"x"}') as unknown];
  for (const args of [...bad, ...lists, ...names]) expect(() => checkArguments(args, schema)).toThrow(FerryError);
});

test("between two turns no tool works", async () => {
  expect(await new Desk().call("branch_diff", {})).toEqual({ text: "no turn is running", failed: true });
});

let folder: ReturnType<typeof makeFolder>;
let tools: { server: Server; closeAllConnections(): void };
let socket: Socket;

beforeEach(async () => {
  folder = makeFolder();
  tools = serveTools(box, "1");
  tools.server.listen(join(folder.path, "tools.sock"));
  await once(tools.server, "listening");
  socket = connect(join(folder.path, "tools.sock"));
});
afterEach(async () => {
  socket.destroy();
  tools.closeAllConnections();
  tools.server.close();
  await once(tools.server, "close");
  folder.remove();
});

test("over a socket: an answer to each request, and who floods it is hung up on", async () => {
  socket.write('{"id":1,"method":"ping"}\n{"id":2,"method":"ping"}\n');
  const lines = linesOf(socket, 1000);
  expect((await lines.next()).value).toContain('"id":1');
  expect((await lines.next()).value).toContain('"id":2');
  // What it is told by: an end, or a reset.
  const over = new Promise((resolve) => socket.once("close", resolve).on("error", () => undefined));
  socket.write(Buffer.alloc(1024 * 1024, "x"));
  await over;
});
