import { writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeProcesses } from "../../src/host/processes.ts";
import { type Binary, makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";

let binary: Binary;
beforeEach(() => {
  binary = makeBinary();
});
afterEach(() => binary.dispose());

/** Two pages of sessions, so that a listing is two calls; `connections` counts those that were made for them. */
function makeListing(): { server: http.Server; connections: () => number } {
  let connections = 0;
  const server = http.createServer((request, response) => {
    const next_cursor = request.url?.includes("cursor=") === true ? null : "more";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ items: [{ id: `ses_${next_cursor ?? "last"}` }], next_cursor }));
  });
  server.on("connection", () => (connections += 1));
  return { server, connections: () => connections };
}

const both = expect.stringMatching(/ses_more[^]*ses_last/u) as string;

test("the calls of a command go over one connection", async () => {
  const { server, connections } = makeListing();
  const env = { FERRY_HOST: `http://${await serve(server)}`, FERRY_API_KEY: "k" };
  expect(await binary.run(["session", "list", "--json"], { env })).toMatchObject({ code: 0, stdout: both });
  expect(connections()).toBe(1);
});

test("also those to the embedded service", async () => {
  const { server, connections } = makeListing();
  const data = binary.env["FERRY_DATA_DIR"] ?? "";
  const socket = join(data, "ferry.sock");
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const start_time = await makeProcesses(process.env, process.platform).startTime(process.pid);
  writeFileSync(join(data, "service.json"), JSON.stringify({ pid: process.pid, start_time, socket, version: "0.1.0" }));
  for (const [name, text] of Object.entries({ key: "k", origin: "o" })) writeFileSync(join(data, name), text, { mode: 0o600 });
  const listed = await binary.run(["session", "list", "--json"], { env: { FERRY_HOST: "local" } });
  expect(listed).toMatchObject({ code: 0, stdout: both });
  expect(connections()).toBe(1);
  server.close();
});
