import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";

const program = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));
const sessions = Array.from({ length: 5000 }, (_, at) => ({ id: `ses_${at}`, title: "x".repeat(200) }));

let binary: Binary;
let host: string;
beforeEach(async () => {
  binary = makeBinary(program);
  host = `http://${await serve(createServer((_, response) => void response.setHeader("content-type", "application/json").end(JSON.stringify({ items: sessions, next_cursor: "" }))))}`;
});
afterEach(() => binary.dispose());

/** A shell's line in which $FERRY is the program. */
function shell(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...binary.env, FERRY_HOST: host, FERRY_API_KEY: "key", FERRY: `${process.execPath} ${program}` };
  return new Promise((resolve) => {
    execFile("bash", ["-o", "pipefail", "-c", line], { env, cwd: binary.folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

test("more than a megabyte of JSON arrives whole, through however slow a pipe", async () => {
  const { code, stdout, stderr } = await shell('$FERRY session list --json | (read -r -n 1 first; printf %s "$first"; cat)');
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.length).toBeGreaterThan(1_000_000);
  expect(JSON.parse(stdout)).toEqual(sessions);
});

test("a reader that has seen enough is no failure", async () => {
  const { code, stdout, stderr } = await shell("$FERRY session list | head -n 1");
  expect({ code, stdout: stdout.slice(0, 5), stderr }).toEqual({ code: 0, stdout: "ses_0", stderr: "" });
});

test.each(["session list", "--version"])("a full disk is one line and exit 1: %s", async (command) => {
  const { code, stderr } = await shell(`$FERRY ${command} > /dev/full`);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "ferry: can't write the output: no space left on device\n" });
});

test("who has nothing to write there loses nothing by it", async () => {
  expect(await shell("$FERRY complete --next nothing-like-that > /dev/full")).toMatchObject({ code: 0, stderr: "" });
  const empty = await serve(
    createServer((_, response) => void response.setHeader("content-type", "application/json").end('{"items":[]}')),
  );
  expect(await shell(`FERRY_HOST=http://${empty} $FERRY session list > /dev/full`)).toEqual({
    code: 0,
    stdout: "",
    stderr: "no sessions\n",
  });
});

test.each(["--json", "--jq '.[].id'"])("a full disk is no fault of the expression: %s", async (option) => {
  const { stderr } = await shell(`$FERRY session list ${option} > /dev/full`);
  expect(JSON.parse(stderr)).toEqual({ error: { kind: "failure", message: "can't write the output: no space left on device" } });
});

test.each(["say --session ses_1 hi", "message send ses_1 hi"])(
  "that a message is sent is told, whoever can't print it: %s",
  async (command) => {
    const sent: string[] = [];
    const service = await serve(
      createServer(({ method, url = "" }, response) => {
        if (method === "POST") sent.push(url);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(method === "POST" ? { id: "evt_1", status: "queued" } : { id: "ses_1", status: "active" }));
      }),
    );
    const { code, stderr } = await shell(`FERRY_HOST=http://${service} $FERRY ${command} --json > /dev/full`);
    expect(sent).toEqual(["/api/v1/sessions/ses_1/messages"]);
    expect(code).toBe(1);
    expect(stderr).toContain("the message is sent, but can't write the output: no space left on device");
  },
);

test("what is piped in is not for a question", async () => {
  const { code, stdout, stderr } = await shell("yes | $FERRY repo delete ses_1");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("hint: say so with --yes");
});

test("a new key that nobody gets is revoked, and never ends as if all were well", async () => {
  const ended: string[] = [];
  const keys = await serve(
    createServer(({ method = "", url = "" }, response) => {
      if (method === "DELETE") ended.push(url);
      const about = url.endsWith("/cli") ? { capabilities: ["keys"] } : { id: "key_1", name: "ci", secret: "key-of-its-own" };
      response.setHeader("content-type", "application/json").end(JSON.stringify(about));
    }),
  );
  const create = (where: string) => shell(`FERRY_HOST=http://${keys} $FERRY key create ci --scopes all:all ${where}`);
  for (const [where, why] of [
    ["| true", "nobody reads the output any more"],
    ["> /dev/full", "can't write the output: no space left on device"],
  ] as const)
    expect(await create(where)).toEqual({ code: 1, stdout: "", stderr: `ferry: ${why}; so the key ci (key_1) is revoked\n` });
  expect(ended).toEqual(["/api/v1/api-keys/key_1", "/api/v1/api-keys/key_1"]);
  for (const where of [">&-", "> /dev/null"])
    expect(await create(where)).toMatchObject({ code: 2, stderr: expect.stringContaining("closed or thrown away") as string });
  expect(ended).toHaveLength(2);
});
