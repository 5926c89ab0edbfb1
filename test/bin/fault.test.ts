import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Binary, makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";

const program = fileURLToPath(new URL("../../bin/ferry.js", import.meta.url));

let binary: Binary;
let host: string;
beforeEach(async () => {
  binary = makeBinary(program);
  // Asks for what is never answered, while something that nobody waits for fails.
  host = `http://${await serve(createServer(() => undefined))}`;
  writeFileSync(
    join(binary.folder, "fault.cjs"),
    "setTimeout(() => void Promise.reject(new RangeError('out of place')), 500);\n",
  );
});
afterEach(() => binary.dispose());

function run(...argv: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { ...binary.env, FERRY_HOST: host, FERRY_API_KEY: "key" };
  const node = ["--require", join(binary.folder, "fault.cjs"), program];
  return new Promise((resolve) => {
    execFile(process.execPath, [...node, ...argv], { env, cwd: binary.folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("a fault that nobody waits for is one line and a hint, not a dump", async () => {
  expect(await run("session", "list")).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: ferry has a fault: RangeError\n  hint: please report it with what --verbose shows\n",
  });
});

test("with --verbose it has its stack", async () => {
  expect((await run("session", "list", "--verbose")).stderr).toMatch(/RangeError[^]*fault\.cjs:1/u);
});

test("a program that has nothing left to wait for, and isn't done, has failed", async () => {
  const lost = "Object.assign(new (require('node:events'))(), { end() {}, destroy() {} })";
  const timers = "const set = setTimeout; globalThis.setTimeout = (...given) => set(...given).unref();";
  writeFileSync(join(binary.folder, "fault.cjs"), `${timers} require('node:http').request = () => ${lost};\n`);
  expect(await run("session", "list")).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: ferry has a fault: it stopped before it was done\n  hint: please report it with what --verbose shows\n",
  });
});
