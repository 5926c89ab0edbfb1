import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";

const program = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));
const session = JSON.stringify({ id: "ses_1", status: "finished", created_at: "2026-01-01T00:00:00.000Z" });
const many = 20_000;
const timeline = JSON.stringify(
  Array.from({ length: many }, (_, at) => ({ id: `evt_${at}`, type: "agent_message", payload: {} })),
);

let binary: Binary;
let host: string;
beforeEach(async () => {
  binary = makeBinary(program);
  const server = createServer((request, response) =>
    response.setHeader("content-type", "application/json").end(request.url?.includes("/events") === true ? timeline : session),
  );
  host = `http://${await serve(server)}`;
});
afterEach(() => binary.dispose());

/** Has the program ended by the signal as soon as it is `due`; gives its exit code. */
async function ended(argv: readonly string[], signal: NodeJS.Signals, due: (line: string) => boolean): Promise<number | null> {
  const env = { ...binary.env, FERRY_HOST: host, FERRY_API_KEY: "key" };
  const child = spawn(process.execPath, [program, ...argv], { env, cwd: binary.folder, stdio: ["ignore", "pipe", "ignore"] });
  createInterface(child.stdout).on("line", (line) => due(line) && child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "in a flood no %s is lost, whenever it comes",
  async (signal, code) => {
    for (let run = 0; run < Number(process.env["FERRY_TEST_RUNS"] ?? 2); run++) {
      const last = `evt_${Math.floor((Math.random() * many) / 2)}`;
      expect({ last, code: await ended(["events", "ses_1", "--jq", ".id"], signal, (line) => line === last) }).toEqual({
        last,
        code,
      });
    }
  },
  120_000,
);

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "an expression without end ends with %s",
  async (signal, code) => {
    // The first events are shown; then it is in the one that has no end.
    const argv = ["events", "ses_1", "--jq", 'if .id == "evt_19999" then def f: f; f else .id end'];
    expect(await ended(argv, signal, (line) => line === "evt_15000")).toBe(code);
  },
  60_000,
);
