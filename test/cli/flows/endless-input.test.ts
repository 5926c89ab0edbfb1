import { execFileSync, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Binary, collect, makeBinary } from "../../support/binary.ts";

const program = fileURLToPath(new URL("../../../bin/ferry.js", import.meta.url));

let binary: Binary;
let pipe: string;
beforeEach(() => {
  binary = makeBinary();
  pipe = join(binary.folder, "pipe");
  execFileSync("mkfifo", [pipe]);
});
afterEach(() => binary.dispose());

test.each([
  ["standard input", '"$@" -F - < "$0"'],
  ["a file", '"$@" -F "$0"'],
])("one Ctrl-C ends the waiting for %s that comes to no end", async (_what, command) => {
  const say = [process.execPath, program, "say", "--session", "x"];
  const env = { ...binary.env, FERRY_HOST: "http://127.0.0.1:9", FERRY_API_KEY: "key" };
  const child = spawn("sh", ["-c", `exec ${command}`, pipe, ...say], { env, stdio: ["ignore", "pipe", "pipe"] });
  const end = collect(child);
  const writer = await open(pipe, "w");
  // More than a pipe holds: once it is written, somebody reads.
  await writer.write("x".repeat(1 << 20));
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  await writer.close();
  expect({ isOver: code === 130 || child.signalCode === "SIGINT", stdout, stderr }).toEqual({
    isOver: true,
    stdout: "",
    stderr: "ferry: interrupted\n",
  });
});

test("a device without an end is read up to a limit, and told", async () => {
  const { code, stderr } = await binary.run(["say", "--session", "x", "-F", "/dev/zero"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "ferry: can't read /dev/zero: it is longer than 67108864 bytes\n" });
});
