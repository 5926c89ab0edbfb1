import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { makeBinary } from "../support/binary.ts";
import { serve } from "../support/http-server.ts";

test("a checkout that was not built says what to do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ferry-bin-"));
  await cp(fileURLToPath(new URL("../../bin", import.meta.url)), join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "package.json"), `{"type":"module"}`);
  const binary = makeBinary(join(folder, "bin/git-ferry.js"));
  onTestFinished(async () => {
    await binary.dispose();
    await rm(folder, { recursive: true });
  });

  expect(await binary.run(["--version"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "ferry: dist/start.js is not there\n  hint: in a checkout, run: npm run build\n",
  });
});

// Each of these takes Node some milliseconds, which every start of a short command would wait for.
test("of Node's modules a command that asks a service loads what it needs", async () => {
  const answer = JSON.stringify([
    { id: "ses_1", created_at: "2026-01-01T00:00:00Z" },
    { id: "ses_2", created_at: "2026-01-02T00:00:00Z" },
  ]);
  const host = await serve(
    createServer((_, response) => void response.setHeader("content-type", "application/json").end(answer)),
  );
  const binary = makeBinary();
  onTestFinished(() => binary.dispose());
  const [hook, told] = [join(binary.folder, "hook.cjs"), join(binary.folder, "loaded")];
  await writeFile(
    hook,
    `const told = process.env.TOLD;
     String.prototype.localeCompare = () => { throw new Error("the tables of languages take 20 ms"); };
     process.on("exit", () => require("fs").writeFileSync(told, process.moduleLoadList.join("\\n")));`,
  );
  const env = { NODE_OPTIONS: `--require=${hook}`, TOLD: told, FERRY_HOST: `http://${host}`, FERRY_API_KEY: "k" };
  // The first run writes down what it compiled and how the service takes its key.
  await binary.run(["session", "list"], { env });
  const { code, stdout } = await binary.run(["session", "list"], { env });
  expect({ code, ids: stdout.match(/ses_\d/gu) }).toEqual({ code: 0, ids: ["ses_2", "ses_1"] });
  const loaded = (await readFile(told, "utf8")).split("\n");
  expect(loaded).toContain("NativeModule http");
  for (const name of ["child_process", "crypto", "fs/promises", "https", "perf_hooks", "readline", "tls", "zlib"])
    expect(loaded).not.toContain(`NativeModule ${name}`);
});
